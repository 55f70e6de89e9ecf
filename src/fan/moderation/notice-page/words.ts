/** The words of the page of notices and of the reply to the notifier, in the languages of the example app. */
import { chooserOf } from '../../../core/language-tags.ts'
import type { NoticeCategory } from '../notice-kinds.ts'

const categories: Record<NoticeCategory, string> = {
  child_abuse: 'Sexual abuse of children',
  hate: 'Hate speech',
  threats: 'Threats or calls for violence',
  defamation: 'Insult or defamation',
  privacy: 'Personal data or pictures of a person',
  intellectual_property: 'Copyright or trade marks',
  fraud: 'Fraud',
  other: 'Another law',
}

const en = {
  lang: 'en',
  dir: 'ltr',
  title: 'Report illegal content',
  lead: 'Anyone can report content that is against the law. You need no account. A person at the club decides.',
  location: 'Where is the content?',
  locationHint: 'Its address, or a description such as the name of the fan and the place in the app.',
  category: 'What is it about?',
  categories,
  explanation: 'Why is it illegal?',
  explanationHint: 'What it shows or says, and which law it breaks, if you know it.',
  name: 'Your name',
  email: 'Your e-mail address',
  notifierHint: 'Not needed for sexual abuse of children.',
  goodFaith: 'I believe in good faith that what I report is accurate and complete.',
  send: 'Send the report',
  privacy:
    'The club uses your name and e-mail address to confirm and answer the report only. The person who published the content does not see them. They are deleted six months after the decision.',
  wrong: 'Check the fields that are marked.',
  missing: 'Fill in this field.',
  notEmail: 'This is no e-mail address.',
  limited: 'There were too many reports. Try again in an hour, or write to the club.',
  failed: 'This did not work. Try again.',
  receipt: 'Your report',
  received: 'The club has received your report.',
  merged:
    'The club has many open reports about this content already. Yours is counted with them, and its text is not kept: you are not told the decision.',
  number: 'Number',
  time: 'Received',
  keep: 'Print or save this page. It is shown once, and not sent by e-mail.',
  again: 'Report something else',
  reply: {
    subject: 'Your report {receipt}',
    received: 'You reported content on {day}. The number of the report is {receipt}.',
    acted: 'The club has decided, and has acted on the content.',
    refused: 'The club has decided, and has not acted on the content.',
    manual: 'A person decided. No automated means were used.',
    redress:
      'If you disagree, answer this message within six months: another person decides again. You can also go to a certified out-of-court dispute settlement body, or to a court.',
  },
}
export type Words = Omit<typeof en, 'dir'> & { dir: string }

const pt: Words = {
  ...en,
  lang: 'pt',
  title: 'Denunciar conteúdo ilegal',
  lead: 'Qualquer pessoa pode denunciar conteúdo contrário à lei. Não precisa de conta. Uma pessoa do clube decide.',
  location: 'Onde está o conteúdo?',
  locationHint: 'O endereço, ou uma descrição, como o nome do adepto e o local na aplicação.',
  category: 'De que se trata?',
  categories: {
    child_abuse: 'Abuso sexual de crianças',
    hate: 'Discurso de ódio',
    threats: 'Ameaças ou apelos à violência',
    defamation: 'Injúria ou difamação',
    privacy: 'Dados pessoais ou imagens de uma pessoa',
    intellectual_property: 'Direitos de autor ou marcas',
    fraud: 'Fraude',
    other: 'Outra lei',
  },
  explanation: 'Porque é ilegal?',
  explanationHint: 'O que mostra ou diz, e que lei viola, se souber.',
  name: 'O seu nome',
  email: 'O seu endereço de e-mail',
  notifierHint: 'Não é necessário em caso de abuso sexual de crianças.',
  goodFaith: 'Creio de boa-fé que o que denuncio é exato e completo.',
  send: 'Enviar a denúncia',
  privacy:
    'O clube usa o seu nome e o seu e-mail apenas para confirmar e responder à denúncia. Quem publicou o conteúdo não os vê. São apagados seis meses após a decisão.',
  wrong: 'Verifique os campos assinalados.',
  missing: 'Preencha este campo.',
  notEmail: 'Isto não é um endereço de e-mail.',
  limited: 'Houve demasiadas denúncias. Tente de novo dentro de uma hora, ou escreva ao clube.',
  failed: 'Não foi possível. Tente de novo.',
  receipt: 'A sua denúncia',
  received: 'O clube recebeu a sua denúncia.',
  merged:
    'O clube já tem muitas denúncias abertas sobre este conteúdo. A sua é contada com elas, e o texto não é guardado: não será informado da decisão.',
  number: 'Número',
  time: 'Recebida',
  keep: 'Imprima ou guarde esta página. É mostrada uma vez, e não é enviada por e-mail.',
  again: 'Denunciar outra coisa',
  reply: {
    subject: 'A sua denúncia {receipt}',
    received: 'Denunciou um conteúdo a {day}. O número da denúncia é {receipt}.',
    acted: 'O clube decidiu e agiu sobre o conteúdo.',
    refused: 'O clube decidiu e não agiu sobre o conteúdo.',
    manual: 'Uma pessoa decidiu. Não foram usados meios automatizados.',
    redress:
      'Se não concorda, responda a esta mensagem no prazo de seis meses: outra pessoa decide de novo. Também pode recorrer a um organismo certificado de resolução extrajudicial de litígios, ou a um tribunal.',
  },
}

const ptBr: Words = {
  ...pt,
  lang: 'pt-BR',
  lead: 'Qualquer pessoa pode denunciar conteúdo contrário à lei. Você não precisa de conta. Uma pessoa do clube decide.',
  locationHint: 'O endereço, ou uma descrição, como o nome do torcedor e o lugar no aplicativo.',
  category: 'Sobre o que é?',
  categories: { ...pt.categories, intellectual_property: 'Direitos autorais ou marcas' },
  explanation: 'Por que é ilegal?',
  explanationHint: 'O que mostra ou diz, e que lei viola, se você souber.',
  name: 'Seu nome',
  email: 'Seu e-mail',
  goodFaith: 'Acredito de boa-fé que o que denuncio é exato e completo.',
  privacy:
    'O clube usa seu nome e seu e-mail apenas para confirmar e responder à denúncia. Quem publicou o conteúdo não os vê. Eles são apagados seis meses após a decisão.',
  wrong: 'Confira os campos marcados.',
  missing: 'Preencha este campo.',
  notEmail: 'Isto não é um e-mail.',
  limited: 'Houve denúncias demais. Tente de novo em uma hora, ou escreva para o clube.',
  receipt: 'Sua denúncia',
  received: 'O clube recebeu a sua denúncia.',
  merged:
    'O clube já tem muitas denúncias abertas sobre este conteúdo. A sua é contada com elas, e o texto não é guardado: você não será informado da decisão.',
  keep: 'Imprima ou salve esta página. Ela é mostrada uma vez, e não é enviada por e-mail.',
  reply: {
    ...pt.reply,
    subject: 'Sua denúncia {receipt}',
    received: 'Você denunciou um conteúdo em {day}. O número da denúncia é {receipt}.',
    redress:
      'Se você não concorda, responda a esta mensagem em até seis meses: outra pessoa decide de novo. Você também pode recorrer a um organismo certificado de resolução extrajudicial de litígios, ou à Justiça.',
  },
}

const ar: Words = {
  ...en,
  lang: 'ar',
  dir: 'rtl',
  title: 'الإبلاغ عن محتوى غير قانوني',
  lead: 'يمكن لأي شخص الإبلاغ عن محتوى مخالف للقانون. لا تحتاج إلى حساب. يتخذ القرار شخص في النادي.',
  location: 'أين يوجد المحتوى؟',
  locationHint: 'عنوانه، أو وصف له مثل اسم المشجع والموضع في التطبيق.',
  category: 'بماذا يتعلق؟',
  categories: {
    child_abuse: 'الاعتداء الجنسي على الأطفال',
    hate: 'خطاب الكراهية',
    threats: 'التهديد أو الدعوة إلى العنف',
    defamation: 'السبّ أو التشهير',
    privacy: 'بيانات شخصية أو صور لشخص',
    intellectual_property: 'حقوق المؤلف أو العلامات التجارية',
    fraud: 'الاحتيال',
    other: 'قانون آخر',
  },
  explanation: 'لماذا هو غير قانوني؟',
  explanationHint: 'ما الذي يعرضه أو يقوله، وأي قانون يخالف إن كنت تعرفه.',
  name: 'اسمك',
  email: 'بريدك الإلكتروني',
  notifierHint: 'غير مطلوب عند الإبلاغ عن الاعتداء الجنسي على الأطفال.',
  goodFaith: 'أعتقد بحسن نية أن ما أبلغ عنه دقيق وكامل.',
  send: 'إرسال البلاغ',
  privacy:
    'يستخدم النادي اسمك وبريدك الإلكتروني لتأكيد البلاغ والرد عليه فقط. لا يراهما من نشر المحتوى. يُحذفان بعد ستة أشهر من القرار.',
  wrong: 'تحقّق من الحقول المحددة.',
  missing: 'املأ هذا الحقل.',
  notEmail: 'هذا ليس بريدًا إلكترونيًا.',
  limited: 'بلاغات كثيرة جدًا. حاول بعد ساعة، أو اكتب إلى النادي.',
  failed: 'لم ينجح ذلك. حاول مرة أخرى.',
  receipt: 'بلاغك',
  received: 'استلم النادي بلاغك.',
  merged: 'لدى النادي بلاغات كثيرة مفتوحة عن هذا المحتوى. يُحسب بلاغك معها ولا يُحفظ نصه: لن تُبلَّغ بالقرار.',
  number: 'الرقم',
  time: 'وقت الاستلام',
  keep: 'اطبع هذه الصفحة أو احفظها. تُعرض مرة واحدة ولا تُرسل بالبريد الإلكتروني.',
  again: 'الإبلاغ عن شيء آخر',
  reply: {
    subject: 'بلاغك {receipt}',
    received: 'أبلغت عن محتوى في {day}. رقم البلاغ هو {receipt}.',
    acted: 'اتخذ النادي قرارًا، واتخذ إجراءً بشأن المحتوى.',
    refused: 'اتخذ النادي قرارًا، ولم يتخذ إجراءً بشأن المحتوى.',
    manual: 'اتخذ القرار شخص. لم تُستخدم وسائل آلية.',
    redress:
      'إذا كنت لا توافق، فأجب عن هذه الرسالة خلال ستة أشهر: يقرر شخص آخر من جديد. يمكنك أيضًا اللجوء إلى هيئة معتمدة لتسوية النزاعات خارج المحكمة، أو إلى القضاء.',
  },
}

/** In the first of these languages that there is, otherwise in English. */
export const wordsFor = chooserOf<Words>(en, pt, ptBr, ar)
