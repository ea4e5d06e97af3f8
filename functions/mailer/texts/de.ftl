### What mails say: see en.ftl.

# Confirmations, refunds, exchanges and notices.
heading-codes =
    { $codes ->
       *[tickets] Ihre Tickets
        [member-cards] Ihre Mitgliedskarten
        [tickets-and-member-cards] Ihre Tickets und Mitgliedskarten
    }
heading-codes-and-receipt =
    { $codes ->
       *[tickets] Ihre Tickets und Ihr Beleg
        [member-cards] Ihre Mitgliedskarten und Ihr Beleg
        [tickets-and-member-cards] Ihre Tickets, Mitgliedskarten und Ihr Beleg
    }
heading-receipt = Ihr Beleg
heading-refund = Ihre Erstattung
heading-cancellation = Ihre Stornierung
heading-notice = Verkaufte Tickets
subject = { $heading } von { $venue }, Bestellung { $order }
subject-notice = { $heading } von { $venue }, Bestellung { $order }
order = Bestellung { $order }
ordered-by = Bestellt von { $buyer }
receipt = Beleg
receipt-numbered = Beleg { $number }
total = Summe
paid = Bezahlt
refunded = Erstattet
with-amount = { $what }: { $amount }
includes-tax = Enthält { $tax }
unnamed-tax = Steuer
codes-follow =
    { $codes ->
       *[tickets] Ihre Tickets gehen in einer eigenen E-Mail an die Lieferadresse dieser Bestellung.
        [member-cards] Ihre Mitgliedskarten gehen in einer eigenen E-Mail an die Lieferadresse dieser Bestellung.
        [tickets-and-member-cards] Ihre Tickets und Mitgliedskarten gehen in einer eigenen E-Mail an die Lieferadresse dieser Bestellung.
    }
codes =
    { $codes ->
       *[tickets] Tickets
        [member-cards] Mitgliedskarten
        [tickets-and-member-cards] Tickets und Mitgliedskarten
    }
show-codes = Zeigen Sie jeden QR-Code am Eingang, oder lesen Sie den Code darunter vor.
qr-code-of = QR-Code von { $code }
code = Code: { $code }
more-tickets = Weitere Tickets
more-tickets-about =
    { $rest-plural ->
        [one] Diese E-Mail enthält QR-Codes für die ersten { $shown } Tickets. Das übrige ist genauso gültig: Lesen Sie seinen Code am Eingang vor.
       *[other] Diese E-Mail enthält QR-Codes für die ersten { $shown } Tickets. Die übrigen { $rest } sind genauso gültig: Lesen Sie ihre Codes am Eingang vor.
    }
because-of-order = { $venue } hat diese E-Mail wegen der Bestellung { $order } gesendet.
card = { $brand } mit den Endziffern { $digits }
term = { $starts } bis { $ends }, Mitgliedsnummer { $number }
member-card = Mitgliedskarte
exchanged = Diese Tickets ersetzen frühere, deren Codes nicht mehr gültig sind.
fee-due = Eine Gebühr von { $fee } ist noch an der Kasse zu bezahlen.
late-money = Ihre Zahlung ist nach Ablauf der Frist eingegangen, daher wurde nichts verkauft. Sie wurde vollständig erstattet.

# Links to log in by, and to an order.
login-subject =
    { $party ->
       *[member] Anmelden bei { $venue }
        [staff] Anmeldung bei { $venue }
        [payer] Ihre Bestellung bei { $venue }
    }
login-heading =
    { $party ->
       *[member] Ihre Mitgliedschaft
        [staff] Personal
        [payer] Ihre Bestellung
    }
login-intro =
    { $party ->
       *[member] Jemand möchte sich mit dieser E-Mail-Adresse anmelden. Wenn Sie das waren, benutzen Sie diesen Link:
        [staff] Jemand möchte sich mit dieser E-Mail-Adresse anmelden. Wenn Sie das waren, benutzen Sie diesen Link:
        [payer] Jemand möchte eine Bestellung sehen, die mit dieser E-Mail-Adresse gemacht wurde. Wenn Sie das waren, benutzen Sie diesen Link:
    }
login-button =
    { $party ->
       *[member] Anmelden
        [staff] Anmelden
        [payer] Bestellung anzeigen
    }
login-expires =
    { $minutes-plural ->
        [one] Der Link funktioniert einmal und läuft in { $minutes } Minute ab.
       *[other] Der Link funktioniert einmal und läuft in { $minutes } Minuten ab.
    }
login-works =
    { $hours-plural ->
        [one] Der Link funktioniert { $hours } Stunde lang.
       *[other] Der Link funktioniert { $hours } Stunden lang.
    }
login-ignore = Wenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren.
login-because =
    { $party ->
       *[member] { $venue } hat diese E-Mail gesendet, weil ein Mitglied diese Adresse hat.
        [staff] { $venue } hat diese E-Mail gesendet, weil jemand vom Personal diese Adresse hat.
        [payer] { $venue } hat diese E-Mail gesendet, weil eine Bestellung diese Adresse hat.
    }
