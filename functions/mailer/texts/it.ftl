### What mails say: see en.ftl.

# Confirmations, refunds, exchanges and notices.
heading-codes =
    { $codes ->
       *[tickets] I tuoi biglietti
        [member-cards] Le tue tessere associative
        [tickets-and-member-cards] I tuoi biglietti e le tue tessere associative
    }
heading-codes-and-receipt =
    { $codes ->
       *[tickets] I tuoi biglietti e la tua ricevuta
        [member-cards] Le tue tessere associative e la tua ricevuta
        [tickets-and-member-cards] I tuoi biglietti, le tue tessere associative e la tua ricevuta
    }
heading-receipt = La tua ricevuta
heading-refund = Il tuo rimborso
heading-cancellation = Il tuo annullamento
heading-notice = Biglietti venduti
subject = { $heading } da { $venue }, ordine { $order }
subject-notice = { $heading } da { $venue }, ordine { $order }
order = Ordine { $order }
ordered-by = Ordinato da { $buyer }
receipt = Ricevuta
receipt-numbered = Ricevuta { $number }
total = Totale
paid = Pagato
refunded = Rimborsato
with-amount = { $what }: { $amount }
includes-tax = Di cui { $tax }
unnamed-tax = imposta
codes-follow =
    { $codes ->
       *[tickets] I tuoi biglietti vengono inviati all’indirizzo di consegna di questo ordine con un’e-mail separata.
        [member-cards] Le tue tessere associative vengono inviate all’indirizzo di consegna di questo ordine con un’e-mail separata.
        [tickets-and-member-cards] I tuoi biglietti e le tue tessere associative vengono inviati all’indirizzo di consegna di questo ordine con un’e-mail separata.
    }
codes =
    { $codes ->
       *[tickets] Biglietti
        [member-cards] Tessere associative
        [tickets-and-member-cards] Biglietti e tessere associative
    }
show-codes = Mostra ogni codice QR all’ingresso oppure leggi ad alta voce il codice sottostante.
qr-code-of = Codice QR di { $code }
code = Codice: { $code }
more-tickets = Altri biglietti
more-tickets-about =
    { $rest-plural ->
        [one] Questa e-mail contiene i codici QR dei primi { $shown } biglietti. Quello rimanente è altrettanto valido: leggi il suo codice all’ingresso.
       *[other] Questa e-mail contiene i codici QR dei primi { $shown } biglietti. Gli altri { $rest } sono altrettanto validi: leggi i loro codici all’ingresso.
    }
because-of-order = { $venue } ha inviato questa e-mail per l’ordine { $order }.
card = { $brand } che termina con { $digits }
term = Dal { $starts } al { $ends }, numero di socio { $number }
member-card = Tessera associativa
exchanged = Questi biglietti sostituiscono quelli precedenti, i cui codici non sono più validi.
fee-due = Resta da pagare in cassa un importo di { $fee }.
late-money = Il tuo pagamento è arrivato a tempo scaduto, perciò non è stato venduto nulla. È stato restituito per intero.

# Links to log in by, and to an order.
login-subject =
    { $party ->
       *[member] Accedi a { $venue }
        [staff] Accesso a { $venue }
        [payer] Il tuo ordine da { $venue }
    }
login-heading =
    { $party ->
       *[member] La tua iscrizione
        [staff] Personale
        [payer] Il tuo ordine
    }
login-intro =
    { $party ->
       *[member] Qualcuno ha chiesto di accedere con questo indirizzo e-mail. Se sei stato tu, usa questo link:
        [staff] Qualcuno ha chiesto di accedere con questo indirizzo e-mail. Se sei stato tu, usa questo link:
        [payer] Qualcuno ha chiesto di vedere un ordine fatto con questo indirizzo e-mail. Se sei stato tu, usa questo link:
    }
login-button =
    { $party ->
       *[member] Accedi
        [staff] Accedi
        [payer] Mostra l’ordine
    }
login-expires =
    { $minutes-plural ->
        [one] Il link funziona una sola volta e scade tra { $minutes } minuto.
       *[other] Il link funziona una sola volta e scade tra { $minutes } minuti.
    }
login-works =
    { $hours-plural ->
        [one] Il link funziona per { $hours } ora.
       *[other] Il link funziona per { $hours } ore.
    }
login-ignore = Se non l’hai richiesto, puoi ignorare questa e-mail.
login-because =
    { $party ->
       *[member] { $venue } ha inviato questa e-mail perché un socio ha questo indirizzo.
        [staff] { $venue } ha inviato questa e-mail perché una persona del suo personale ha questo indirizzo.
        [payer] { $venue } ha inviato questa e-mail perché un ordine ha questo indirizzo.
    }
