/** The demonstration documents. Fans of the demo can use all of it without agreeing. */
export const documents = [
  {
    id: 'club-terms',
    version: '2026-07',
    purpose: 'terms',
    text: {
      en: 'I keep the rules of the club: I am fair to other fans, and I do not pretend to be someone else.',
      pt: 'Cumpro as regras do clube: sou correto com os outros adeptos e não me faço passar por outra pessoa.',
      'pt-BR': 'Sigo as regras do clube: respeito os outros torcedores e não me passo por outra pessoa.',
      ar: 'ألتزم بقواعد النادي: أحترم المشجعين الآخرين ولا أنتحل شخصية أحد.',
    },
    required: false,
  },
  {
    id: 'newsletter',
    version: '2026-07',
    purpose: 'marketing',
    text: {
      en: 'The club may send me news and offers by e-mail.',
      pt: 'O clube pode enviar-me novidades e ofertas por e-mail.',
      'pt-BR': 'O clube pode me enviar novidades e ofertas por e-mail.',
      ar: 'يجوز للنادي أن يرسل إليّ الأخبار والعروض بالبريد الإلكتروني.',
    },
    required: false,
  },
]
