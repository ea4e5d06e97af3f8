//! The queue on AWS.

use super::{MailQueue, QueueError, body_of};
use async_trait::async_trait;
use aws_sdk_sqs::{Client, Config};
use domain::outbox::MailJob;
use std::sync::OnceLock;

/// Sends jobs to an SQS queue, which invokes the mailer. The client is made for the first of them.
#[derive(Debug, Clone)]
pub struct SqsQueue {
    config: Config,
    client: OnceLock<Client>,
    url: String,
}

impl SqsQueue {
    /// The queue at a URL, which the environment gives.
    #[must_use]
    pub fn new(config: Config, url: impl Into<String>) -> Self {
        Self { config, client: OnceLock::new(), url: url.into() }
    }
}

#[async_trait]
impl MailQueue for SqsQueue {
    async fn send(&self, job: &MailJob) -> Result<(), QueueError> {
        let client = self.client.get_or_init(|| Client::from_conf(self.config.clone()));
        let sent = client.send_message().queue_url(&self.url).message_body(body_of(job)?).send().await;
        sent.map(|_| ()).map_err(|cause| QueueError::Unanswered(Box::new(cause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::played::Played;
    use aws_sdk_sqs::config::retry::RetryConfig;
    use aws_sdk_sqs::config::{BehaviorVersion, Credentials, Region};
    use domain::outbox::{MailKind, OrderMail};
    use domain::{OrderId, TenantId};

    const URL: &str = "https://sqs.us-east-1.amazonaws.com/123456789012/mail";

    fn queue(http: &Played) -> SqsQueue {
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .retry_config(RetryConfig::disabled())
            .http_client(http.clone())
            .build();
        SqsQueue::new(config, URL)
    }

    fn job() -> MailJob {
        MailJob::Order(OrderMail {
            tenant: TenantId::parse(1001).unwrap(),
            order: OrderId::parse("4711").unwrap(),
            kind: MailKind::Receipt,
        })
    }

    #[tokio::test]
    async fn a_job_is_sent_to_the_queue_as_json() {
        let http = Played::new(200, r#"{"MessageId":"m-1","MD5OfMessageBody":"00"}"#);
        queue(&http).send(&job()).await.unwrap();
        let [request] = <[_; 1]>::try_from(http.requests()).unwrap();
        assert_eq!(request.operation, "AmazonSQS.SendMessage");
        let body: MailJob = serde_json::from_str(request.body["MessageBody"].as_str().unwrap()).unwrap();
        assert_eq!((request.body["QueueUrl"].as_str(), body), (Some(URL), job()));
    }

    #[tokio::test]
    async fn a_refusal_of_the_queue_is_an_error_with_its_cause() {
        let http = Played::new(400, r#"{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"gone"}"#);
        let error = queue(&http).send(&job()).await.unwrap_err();
        assert!(matches!(&error, QueueError::Unanswered(_)), "{error:?}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
