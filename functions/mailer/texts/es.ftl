### What mails say: see en.ftl.

# Confirmations, refunds, exchanges and notices.
heading-codes =
    { $codes ->
       *[tickets] Tus entradas
        [member-cards] Tus carnés de socio
        [tickets-and-member-cards] Tus entradas y carnés de socio
    }
heading-codes-and-receipt =
    { $codes ->
       *[tickets] Tus entradas y tu recibo
        [member-cards] Tus carnés de socio y tu recibo
        [tickets-and-member-cards] Tus entradas, carnés de socio y recibo
    }
heading-receipt = Tu recibo
heading-refund = Tu reembolso
heading-cancellation = Tu cancelación
heading-notice = Entradas vendidas
subject = { $heading } de { $venue }, pedido { $order }
subject-notice = { $heading } por { $venue }, pedido { $order }
order = Pedido { $order }
ordered-by = Pedido realizado por { $buyer }
receipt = Recibo
receipt-numbered = Recibo { $number }
total = Total
paid = Pagado
refunded = Reembolsado
with-amount = { $what }: { $amount }
includes-tax = Incluye { $tax }
unnamed-tax = impuestos
codes-follow =
    { $codes ->
       *[tickets] Tus entradas se envían en un correo aparte a la dirección de entrega de este pedido.
        [member-cards] Tus carnés de socio se envían en un correo aparte a la dirección de entrega de este pedido.
        [tickets-and-member-cards] Tus entradas y carnés de socio se envían en un correo aparte a la dirección de entrega de este pedido.
    }
codes =
    { $codes ->
       *[tickets] Entradas
        [member-cards] Carnés de socio
        [tickets-and-member-cards] Entradas y carnés de socio
    }
show-codes = Muestra cada código QR en la entrada o di en voz alta el código que aparece debajo.
qr-code-of = Código QR de { $code }
code = Código: { $code }
more-tickets = Más entradas
more-tickets-about =
    { $rest-plural ->
        [one] Este correo contiene códigos QR de las primeras { $shown } entradas. La restante es igual de válida: di su código en la entrada.
       *[other] Este correo contiene códigos QR de las primeras { $shown } entradas. Las otras { $rest } son igual de válidas: di sus códigos en la entrada.
    }
because-of-order = { $venue } ha enviado este correo por el pedido { $order }.
card = { $brand } terminada en { $digits }
term = Del { $starts } al { $ends }, número de socio { $number }
member-card = Carné de socio
exchanged = Estas entradas sustituyen a otras anteriores, cuyos códigos ya no son válidos.
fee-due = Queda por pagar en taquilla un cargo de { $fee }.
late-money = Tu pago llegó cuando ya había pasado el plazo, así que no se vendió nada. Se ha devuelto íntegramente.

# Links to log in by, and to an order.
login-subject =
    { $party ->
       *[member] Accede a { $venue }
        [staff] Inicia sesión en { $venue }
        [payer] Tu pedido en { $venue }
    }
login-heading =
    { $party ->
       *[member] Tu membresía
        [staff] Personal
        [payer] Tu pedido
    }
login-intro =
    { $party ->
       *[member] Alguien ha pedido acceder con esta dirección de correo. Si has sido tú, usa este enlace:
        [staff] Alguien ha pedido acceder con esta dirección de correo. Si has sido tú, usa este enlace:
        [payer] Alguien ha pedido ver un pedido hecho con esta dirección de correo. Si has sido tú, usa este enlace:
    }
login-button =
    { $party ->
       *[member] Acceder
        [staff] Acceder
        [payer] Ver el pedido
    }
login-expires =
    { $minutes-plural ->
        [one] El enlace funciona una sola vez y caduca en { $minutes } minuto.
       *[other] El enlace funciona una sola vez y caduca en { $minutes } minutos.
    }
login-works =
    { $hours-plural ->
        [one] El enlace funciona durante { $hours } hora.
       *[other] El enlace funciona durante { $hours } horas.
    }
login-ignore = Si no lo has pedido, puedes ignorar este correo.
login-because =
    { $party ->
       *[member] { $venue } ha enviado este correo porque un socio tiene esta dirección.
        [staff] { $venue } ha enviado este correo porque una persona de su personal tiene esta dirección.
        [payer] { $venue } ha enviado este correo porque un pedido tiene esta dirección.
    }
