### What mails say. Keep the names before `=` and what stands in braces; translate the rest. A name that ends in
### `-plural` chooses by the category of the Unicode plural rules: `one`, and `other` for the rest. A test compares the
### files of all languages.

# Confirmations, refunds, exchanges and notices.
heading-codes =
    { $codes ->
       *[tickets] Your tickets
        [member-cards] Your member cards
        [tickets-and-member-cards] Your tickets and member cards
    }
heading-codes-and-receipt =
    { $codes ->
       *[tickets] Your tickets and receipt
        [member-cards] Your member cards and receipt
        [tickets-and-member-cards] Your tickets and member cards and receipt
    }
heading-receipt = Your receipt
heading-refund = Your refund
heading-cancellation = Your cancellation
heading-notice = Tickets sold
subject = { $heading } from { $venue }, order { $order }
subject-notice = { $heading } by { $venue }, order { $order }
order = Order { $order }
ordered-by = Ordered by { $buyer }
receipt = Receipt
receipt-numbered = Receipt { $number }
total = Total
paid = Paid
refunded = Refunded
with-amount = { $what }: { $amount }
includes-tax = Includes { $tax }
unnamed-tax = tax
codes-follow =
    { $codes ->
       *[tickets] Your tickets are sent to the delivery address of this order in a separate e-mail.
        [member-cards] Your member cards are sent to the delivery address of this order in a separate e-mail.
        [tickets-and-member-cards] Your tickets and member cards are sent to the delivery address of this order in a separate e-mail.
    }
codes =
    { $codes ->
       *[tickets] Tickets
        [member-cards] Member cards
        [tickets-and-member-cards] Tickets and member cards
    }
show-codes = Show each QR code at the entrance, or read out the code below it.
qr-code-of = QR code of { $code }
code = Code: { $code }
more-tickets = More tickets
more-tickets-about =
    { $rest-plural ->
        [one] This e-mail has QR codes for the first { $shown } tickets. The other one is just as valid: read out its code at the entrance.
       *[other] This e-mail has QR codes for the first { $shown } tickets. The other { $rest } are just as valid: read out their codes at the entrance.
    }
because-of-order = { $venue } sent this e-mail because of order { $order }.
card = { $brand } ending in { $digits }
term = { $starts } to { $ends }, member number { $number }
member-card = Member card
exchanged = These tickets take the place of earlier ones, whose codes are no longer valid.
fee-due = A fee of { $fee } is still to be paid at the counter.
late-money = Your payment arrived after the time for it was over, so that nothing was sold. It was returned in full.

# Links to log in by, and to an order.
login-subject =
    { $party ->
       *[member] Log in to { $venue }
        [staff] Sign in to { $venue }
        [payer] Your order at { $venue }
    }
login-heading =
    { $party ->
       *[member] Your membership
        [staff] Staff
        [payer] Your order
    }
login-intro =
    { $party ->
       *[member] Someone asked to log in with this e-mail address. If it was you, use this link:
        [staff] Someone asked to log in with this e-mail address. If it was you, use this link:
        [payer] Someone asked to see an order that was made with this e-mail address. If it was you, use this link:
    }
login-button =
    { $party ->
       *[member] Log in
        [staff] Log in
        [payer] Show the order
    }
login-expires =
    { $minutes-plural ->
        [one] The link works once and expires in { $minutes } minute.
       *[other] The link works once and expires in { $minutes } minutes.
    }
login-works =
    { $hours-plural ->
        [one] The link works for { $hours } hour.
       *[other] The link works for { $hours } hours.
    }
login-ignore = If you did not request it, you can ignore this e-mail.
login-because =
    { $party ->
       *[member] { $venue } sent this e-mail because a member has this address.
        [staff] { $venue } sent this e-mail because a person of its staff has this address.
        [payer] { $venue } sent this e-mail because an order has this address.
    }
