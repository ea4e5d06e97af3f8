//! What grows all the same.

use crate::laws::growth::axes::Axis;

/// Requests that cost more where there is more of something that they do not list.
pub(crate) struct Known {
    pub(crate) requests: &'static [&'static str],
    pub(crate) over: &'static [Axis],
    /// What each of them does; completes a sentence.
    pub(crate) why: &'static str,
}

pub(crate) const KNOWN: [Known; 10] = [
    Known {
        requests: &["POST /v2/b2b/event/templates", "PUT /v2/b2b/event/templates/{id}"],
        over: &[Axis::Templates, Axis::Coupons],
        why: "is checked against the whole catalog: what it names, whom all templates notify, and what they require of \
              each other",
    },
    Known {
        requests: &["POST /v2/b2b/combos", "PUT /v2/b2b/combos/{id}"],
        over: &[Axis::Templates],
        why: "looks for the templates that it names among all of them",
    },
    Known {
        requests: &["POST /v2/b2b/coupons", "PUT /v2/b2b/coupons/{id}"],
        over: &[Axis::Templates, Axis::Coupons],
        why: "looks for the templates that it names among all of them, and for its code among all coupons, so that one \
              that is taken is told beside the other faults",
    },
    Known {
        requests: &["DELETE /v2/b2b/forms/{id}", "DELETE /v2/b2b/inventory/{id}"],
        over: &[Axis::Templates],
        why: "looks for templates that name it, since it does not know who does",
    },
    Known {
        requests: &[
            "DELETE /v2/b2b/discounts/{id}",
            "DELETE /v2/b2b/event/templates/{id}",
            "DELETE /v2/b2b/membership/levels/{id}",
            "DELETE /v2/b2b/persontypes/{id}",
        ],
        over: &[Axis::Templates, Axis::Coupons],
        why: "looks for templates and coupons that name it, since it does not know who does",
    },
    Known {
        requests: &[
            "DELETE /v2/b2b/membership/levels/{id}",
            "DELETE /v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}",
        ],
        over: &[Axis::Members],
        why: "looks for memberships that were bought by it in the list of all of them",
    },
    Known {
        requests: &[
            "GET /v2/b2b/membership/summaries/advancedsearch",
            "GET /v2/b2b/membership/summaries/search",
        ],
        over: &[Axis::Members],
        why: "looks for a part of a name in the list of all memberships",
    },
    Known {
        requests: &[
            "GET /v2/b2b/event/instances",
            "GET /v2/b2b/event/instances/summaries",
            "GET /v2/b2c/event/templates/calendar",
        ],
        over: &[Axis::Templates],
        why: "reads what each template that runs within the range has, however little that is",
    },
    Known {
        requests: &[
            "GET /v2/b2c/event/templates/calendar",
            "GET /v2/b2c/event/templates/{templateId}/calendar",
        ],
        over: &[Axis::Instances],
        why: "adds up what is left of all instances of the days that it lists",
    },
    Known {
        requests: &["GET /v2/b2b/event/templates/{id}"],
        over: &[Axis::Instances],
        why: "adds up what is sold of all instances of the template, as of now: no sum is kept where tickets are sold",
    },
];

impl Known {
    /// Whether it is about a request.
    pub(crate) fn names(&self, request: &str) -> bool {
        self.requests.contains(&request)
    }
}

/// Whether it is known that a request grows over something.
pub(crate) fn is_known(request: &str, axis: Axis) -> bool {
    KNOWN.iter().any(|known| known.names(request) && known.over.contains(&axis))
}
