### What mails say: see en.ftl.

# Confirmations, refunds, exchanges and notices.
heading-codes =
    { $codes ->
       *[tickets] Vos billets
        [member-cards] Vos cartes de membre
        [tickets-and-member-cards] Vos billets et cartes de membre
    }
heading-codes-and-receipt =
    { $codes ->
       *[tickets] Vos billets et votre reçu
        [member-cards] Vos cartes de membre et votre reçu
        [tickets-and-member-cards] Vos billets, cartes de membre et reçu
    }
heading-receipt = Votre reçu
heading-refund = Votre remboursement
heading-cancellation = Votre annulation
heading-notice = Billets vendus
subject = { $heading } – { $venue }, commande { $order }
subject-notice = { $heading } par { $venue }, commande { $order }
order = Commande { $order }
ordered-by = Commandé par { $buyer }
receipt = Reçu
receipt-numbered = Reçu { $number }
total = Total
paid = Payé
refunded = Remboursé
with-amount = { $what } : { $amount }
includes-tax = Dont { $tax }
unnamed-tax = taxe
codes-follow =
    { $codes ->
       *[tickets] Vos billets sont envoyés dans un e-mail séparé à l’adresse de livraison de cette commande.
        [member-cards] Vos cartes de membre sont envoyées dans un e-mail séparé à l’adresse de livraison de cette commande.
        [tickets-and-member-cards] Vos billets et cartes de membre sont envoyés dans un e-mail séparé à l’adresse de livraison de cette commande.
    }
codes =
    { $codes ->
       *[tickets] Billets
        [member-cards] Cartes de membre
        [tickets-and-member-cards] Billets et cartes de membre
    }
show-codes = Présentez chaque code QR à l’entrée, ou lisez à voix haute le code qui figure en dessous.
qr-code-of = Code QR de { $code }
code = Code : { $code }
more-tickets = Autres billets
more-tickets-about =
    { $rest-plural ->
        [one] Cet e-mail contient les codes QR des { $shown } premiers billets. Le billet restant est tout aussi valable : lisez son code à l’entrée.
       *[other] Cet e-mail contient les codes QR des { $shown } premiers billets. Les { $rest } autres sont tout aussi valables : lisez leurs codes à l’entrée.
    }
because-of-order = { $venue } a envoyé cet e-mail à propos de la commande { $order }.
card = { $brand } se terminant par { $digits }
term = Du { $starts } au { $ends }, numéro de membre { $number }
member-card = Carte de membre
exchanged = Ces billets remplacent des billets précédents, dont les codes ne sont plus valables.
fee-due = Des frais de { $fee } restent à payer au guichet.
late-money = Votre paiement est arrivé après l’expiration du délai : rien n’a été vendu. Il a été intégralement remboursé.

# Links to log in by, and to an order.
login-subject =
    { $party ->
       *[member] Se connecter à { $venue }
        [staff] Connexion à { $venue }
        [payer] Votre commande – { $venue }
    }
login-heading =
    { $party ->
       *[member] Votre adhésion
        [staff] Personnel
        [payer] Votre commande
    }
login-intro =
    { $party ->
       *[member] Quelqu’un a demandé à se connecter avec cette adresse e-mail. Si c’était vous, utilisez ce lien :
        [staff] Quelqu’un a demandé à se connecter avec cette adresse e-mail. Si c’était vous, utilisez ce lien :
        [payer] Quelqu’un a demandé à voir une commande passée avec cette adresse e-mail. Si c’était vous, utilisez ce lien :
    }
login-button =
    { $party ->
       *[member] Se connecter
        [staff] Se connecter
        [payer] Voir la commande
    }
login-expires =
    { $minutes-plural ->
        [one] Le lien ne fonctionne qu’une fois et expire dans { $minutes } minute.
       *[other] Le lien ne fonctionne qu’une fois et expire dans { $minutes } minutes.
    }
login-works =
    { $hours-plural ->
        [one] Le lien fonctionne pendant { $hours } heure.
       *[other] Le lien fonctionne pendant { $hours } heures.
    }
login-ignore = Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail.
login-because =
    { $party ->
       *[member] { $venue } a envoyé cet e-mail parce qu’un membre a cette adresse.
        [staff] { $venue } a envoyé cet e-mail parce qu’une personne de son personnel a cette adresse.
        [payer] { $venue } a envoyé cet e-mail parce qu’une commande a cette adresse.
    }
