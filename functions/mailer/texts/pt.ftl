### What mails say: see en.ftl.

# Confirmations, refunds, exchanges and notices.
heading-codes =
    { $codes ->
       *[tickets] Os seus bilhetes
        [member-cards] Os seus cartões de membro
        [tickets-and-member-cards] Os seus bilhetes e cartões de membro
    }
heading-codes-and-receipt =
    { $codes ->
       *[tickets] Os seus bilhetes e recibo
        [member-cards] Os seus cartões de membro e recibo
        [tickets-and-member-cards] Os seus bilhetes, cartões de membro e recibo
    }
heading-receipt = O seu recibo
heading-refund = O seu reembolso
heading-cancellation = O seu cancelamento
heading-notice = Bilhetes vendidos
subject = { $heading } de { $venue }, encomenda { $order }
subject-notice = { $heading } por { $venue }, encomenda { $order }
order = Encomenda { $order }
ordered-by = Encomendado por { $buyer }
receipt = Recibo
receipt-numbered = Recibo { $number }
total = Total
paid = Pago
refunded = Reembolsado
with-amount = { $what }: { $amount }
includes-tax = Inclui { $tax }
unnamed-tax = imposto
codes-follow =
    { $codes ->
       *[tickets] Os seus bilhetes são enviados para o endereço de entrega desta encomenda num e-mail separado.
        [member-cards] Os seus cartões de membro são enviados para o endereço de entrega desta encomenda num e-mail separado.
        [tickets-and-member-cards] Os seus bilhetes e cartões de membro são enviados para o endereço de entrega desta encomenda num e-mail separado.
    }
codes =
    { $codes ->
       *[tickets] Bilhetes
        [member-cards] Cartões de membro
        [tickets-and-member-cards] Bilhetes e cartões de membro
    }
show-codes = Mostre cada código QR à entrada ou leia em voz alta o código que está por baixo.
qr-code-of = Código QR de { $code }
code = Código: { $code }
more-tickets = Mais bilhetes
more-tickets-about =
    { $rest-plural ->
        [one] Este e-mail contém os códigos QR dos primeiros { $shown } bilhetes. O restante é igualmente válido: leia o seu código à entrada.
       *[other] Este e-mail contém os códigos QR dos primeiros { $shown } bilhetes. Os outros { $rest } são igualmente válidos: leia os seus códigos à entrada.
    }
because-of-order = { $venue } enviou este e-mail por causa da encomenda { $order }.
card = { $brand } terminado em { $digits }
term = De { $starts } a { $ends }, número de membro { $number }
member-card = Cartão de membro
exchanged = Estes bilhetes substituem outros anteriores, cujos códigos já não são válidos.
fee-due = Falta pagar na bilheteira uma taxa de { $fee }.
late-money = O seu pagamento chegou depois de terminado o prazo, pelo que nada foi vendido. Foi devolvido na totalidade.

# Links to log in by, and to an order.
login-subject =
    { $party ->
       *[member] Entrar em { $venue }
        [staff] Iniciar sessão em { $venue }
        [payer] A sua encomenda em { $venue }
    }
login-heading =
    { $party ->
       *[member] A sua adesão
        [staff] Pessoal
        [payer] A sua encomenda
    }
login-intro =
    { $party ->
       *[member] Alguém pediu para entrar com este endereço de e-mail. Se foi o seu caso, use esta ligação:
        [staff] Alguém pediu para entrar com este endereço de e-mail. Se foi o seu caso, use esta ligação:
        [payer] Alguém pediu para ver uma encomenda feita com este endereço de e-mail. Se foi o seu caso, use esta ligação:
    }
login-button =
    { $party ->
       *[member] Entrar
        [staff] Entrar
        [payer] Ver a encomenda
    }
login-expires =
    { $minutes-plural ->
        [one] A ligação funciona uma só vez e expira dentro de { $minutes } minuto.
       *[other] A ligação funciona uma só vez e expira dentro de { $minutes } minutos.
    }
login-works =
    { $hours-plural ->
        [one] A ligação funciona durante { $hours } hora.
       *[other] A ligação funciona durante { $hours } horas.
    }
login-ignore = Se não a pediu, pode ignorar este e-mail.
login-because =
    { $party ->
       *[member] { $venue } enviou este e-mail porque um membro tem este endereço.
        [staff] { $venue } enviou este e-mail porque uma pessoa do seu pessoal tem este endereço.
        [payer] { $venue } enviou este e-mail porque uma encomenda tem este endereço.
    }
