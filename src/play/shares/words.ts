/** The words of shared pages and their pictures, in the languages of the example app. */

/** Counted nouns in the plural forms of a language, of which Arabic has six. `#` is the number. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

function counter(locale: string, forms: Forms) {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (count: number) => (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count))
}

export interface Words {
  /** BCP 47. */
  lang: string
  dir: 'ltr' | 'rtl'
  items: (count: number) => string
  lockerOf: (owner: string) => string
  /** Title of the page of an opened pack; null: the fan is not named. */
  opening: (pack: string, owner: string | null) => string
  calledIt: (owner: string | null) => string
  exact: (home: string, away: string) => string
  serial: (serialNumber: number) => string
  emptyLocker: string
  emptyShelf: string
  makeYours: { locker: string; pack: string; prediction: string }
  missing: { title: string; text: string }
}

const en: Words = {
  lang: 'en',
  dir: 'ltr',
  items: counter('en', { one: '# item', other: '# items' }),
  lockerOf: owner => `The locker of ${owner}`,
  opening: (pack, owner) => (owner === null ? `${pack}, opened` : `${owner} opened ${pack}`),
  calledIt: owner => (owner === null ? 'Called it, exactly' : `${owner} called it, exactly`),
  exact: (home, away) => `An exact prediction: ${home} against ${away}`,
  serial: serialNumber => `No. ${serialNumber}`,
  emptyLocker: 'Nothing is on the shelves yet.',
  emptyShelf: 'Empty',
  makeYours: { locker: 'Make yours', pack: 'Open yours', prediction: 'Predict yours' },
  missing: {
    title: 'Nothing is shared here',
    text: 'The address may be wrong, or the fan does not show this to everyone.',
  },
}

const pt: Words = {
  lang: 'pt',
  dir: 'ltr',
  items: counter('pt', { one: '# carta', other: '# cartas' }),
  lockerOf: owner => `O cacifo de ${owner}`,
  opening: (pack, owner) => (owner === null ? `${pack}: saqueta aberta` : `${owner} abriu ${pack}`),
  calledIt: owner => (owner === null ? 'Acertou em cheio' : `${owner} acertou em cheio`),
  exact: (home, away) => `Uma previsão exata: ${home} contra ${away}`,
  serial: serialNumber => `N.º ${serialNumber}`,
  emptyLocker: 'Ainda não há nada nas prateleiras.',
  emptyShelf: 'Vazia',
  makeYours: { locker: 'Faz o teu', pack: 'Abre a tua', prediction: 'Faz a tua previsão' },
  missing: {
    title: 'Não há nada partilhado aqui',
    text: 'O endereço pode estar errado, ou o adepto não mostra isto a toda a gente.',
  },
}

const ptBr: Words = {
  ...pt,
  lang: 'pt-BR',
  items: counter('pt-BR', { one: '# figurinha', other: '# figurinhas' }),
  lockerOf: owner => `O armário de ${owner}`,
  opening: (pack, owner) => (owner === null ? `${pack}: pacote aberto` : `${owner} abriu ${pack}`),
  calledIt: owner => (owner === null ? 'Cravou o placar' : `${owner} cravou o placar`),
  exact: (home, away) => `Palpite exato: ${home} x ${away}`,
  serial: serialNumber => `Nº ${serialNumber}`,
  makeYours: { locker: 'Monte o seu', pack: 'Abra o seu', prediction: 'Dê o seu palpite' },
  missing: {
    title: 'Não há nada compartilhado aqui',
    text: 'O endereço pode estar errado, ou o torcedor não mostra isso para todo mundo.',
  },
}

const ar: Words = {
  lang: 'ar',
  dir: 'rtl',
  items: counter('ar', {
    zero: 'لا بطاقات',
    one: 'بطاقة واحدة',
    two: 'بطاقتان',
    few: '# بطاقات',
    many: '# بطاقة',
    other: '# بطاقة',
  }),
  lockerOf: owner => `خزانة ${owner}`,
  opening: (pack, owner) => (owner === null ? `حزمة مفتوحة: ${pack}` : `فتح ${owner} ${pack}`),
  calledIt: owner => (owner === null ? 'توقّع صحيح تمامًا' : `توقّع ${owner} النتيجة بالضبط`),
  exact: (home, away) => `توقّع دقيق: ${home} ضد ${away}`,
  serial: serialNumber => `رقم ${new Intl.NumberFormat('ar').format(serialNumber)}`,
  emptyLocker: 'لا شيء على الرفوف بعد.',
  emptyShelf: 'فارغ',
  makeYours: { locker: 'اصنع خزانتك', pack: 'افتح حزمتك', prediction: 'ضع توقعك' },
  missing: {
    title: 'لا شيء معروضًا هنا',
    text: 'قد يكون العنوان خاطئًا، أو أن المشجع لا يعرض هذا للجميع.',
  },
}

const ALL: Record<string, Words> = { en, pt, 'pt-BR': ptBr, ar }

/** In the first of these languages that there is, otherwise in English. */
export function wordsFor(preferences: readonly string[]): Words {
  const tag = preferences.find(tag => Object.hasOwn(ALL, tag))
  return (tag === undefined ? undefined : ALL[tag]) ?? en
}
