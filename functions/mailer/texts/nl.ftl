### What mails say: see en.ftl.

# Confirmations, refunds, exchanges and notices.
heading-codes =
    { $codes ->
       *[tickets] Je tickets
        [member-cards] Je lidkaarten
        [tickets-and-member-cards] Je tickets en lidkaarten
    }
heading-codes-and-receipt =
    { $codes ->
       *[tickets] Je tickets en betaalbewijs
        [member-cards] Je lidkaarten en betaalbewijs
        [tickets-and-member-cards] Je tickets, lidkaarten en betaalbewijs
    }
heading-receipt = Je betaalbewijs
heading-refund = Je terugbetaling
heading-cancellation = Je annulering
heading-notice = Verkochte tickets
subject = { $heading } van { $venue }, bestelling { $order }
subject-notice = { $heading } door { $venue }, bestelling { $order }
order = Bestelling { $order }
ordered-by = Besteld door { $buyer }
receipt = Betaalbewijs
receipt-numbered = Betaalbewijs { $number }
total = Totaal
paid = Betaald
refunded = Terugbetaald
with-amount = { $what }: { $amount }
includes-tax = Inclusief { $tax }
unnamed-tax = belasting
codes-follow =
    { $codes ->
       *[tickets] Je tickets worden in een aparte e-mail naar het afleveradres van deze bestelling gestuurd.
        [member-cards] Je lidkaarten worden in een aparte e-mail naar het afleveradres van deze bestelling gestuurd.
        [tickets-and-member-cards] Je tickets en lidkaarten worden in een aparte e-mail naar het afleveradres van deze bestelling gestuurd.
    }
codes =
    { $codes ->
       *[tickets] Tickets
        [member-cards] Lidkaarten
        [tickets-and-member-cards] Tickets en lidkaarten
    }
show-codes = Laat elke QR-code bij de ingang zien, of lees de code eronder voor.
qr-code-of = QR-code van { $code }
code = Code: { $code }
more-tickets = Meer tickets
more-tickets-about =
    { $rest-plural ->
        [one] Deze e-mail bevat QR-codes voor de eerste { $shown } tickets. Het andere is net zo geldig: lees de code ervan voor bij de ingang.
       *[other] Deze e-mail bevat QR-codes voor de eerste { $shown } tickets. De andere { $rest } zijn net zo geldig: lees hun codes voor bij de ingang.
    }
because-of-order = { $venue } heeft deze e-mail gestuurd vanwege bestelling { $order }.
card = { $brand } eindigend op { $digits }
term = { $starts } tot en met { $ends }, lidnummer { $number }
member-card = Lidkaart
exchanged = Deze tickets komen in de plaats van eerdere, waarvan de codes niet meer geldig zijn.
fee-due = Een bedrag van { $fee } moet nog aan de kassa worden betaald.
late-money = Je betaling kwam binnen nadat de tijd ervoor was verstreken, zodat er niets is verkocht. Het bedrag is volledig teruggestort.

# Links to log in by, and to an order.
login-subject =
    { $party ->
       *[member] Inloggen bij { $venue }
        [staff] Aanmelden bij { $venue }
        [payer] Je bestelling bij { $venue }
    }
login-heading =
    { $party ->
       *[member] Je lidmaatschap
        [staff] Personeel
        [payer] Je bestelling
    }
login-intro =
    { $party ->
       *[member] Iemand wil met dit e-mailadres inloggen. Als jij dat was, gebruik dan deze link:
        [staff] Iemand wil met dit e-mailadres inloggen. Als jij dat was, gebruik dan deze link:
        [payer] Iemand wil een bestelling bekijken die met dit e-mailadres is gedaan. Als jij dat was, gebruik dan deze link:
    }
login-button =
    { $party ->
       *[member] Inloggen
        [staff] Inloggen
        [payer] Bestelling bekijken
    }
login-expires =
    { $minutes-plural ->
        [one] De link werkt één keer en verloopt over { $minutes } minuut.
       *[other] De link werkt één keer en verloopt over { $minutes } minuten.
    }
login-works =
    { $hours-plural ->
        [one] De link werkt { $hours } uur.
       *[other] De link werkt { $hours } uur.
    }
login-ignore = Als je dit niet hebt aangevraagd, kun je deze e-mail negeren.
login-because =
    { $party ->
       *[member] { $venue } heeft deze e-mail gestuurd omdat een lid dit adres heeft.
        [staff] { $venue } heeft deze e-mail gestuurd omdat iemand van het personeel dit adres heeft.
        [payer] { $venue } heeft deze e-mail gestuurd omdat een bestelling dit adres heeft.
    }
