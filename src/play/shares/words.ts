/** The words of shared pages and their pictures, in the languages of the example app. */
import { chooserOf } from '../../core/language-tags.ts'

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
  report: string
  missing: { title: string; text: string }
}

/** The words of a language. Names stand in braces; `nobody`: the fan is not named. */
type Texts = Omit<Words, 'items' | 'lockerOf' | 'opening' | 'calledIt' | 'exact'> & {
  items: Forms
  lockerOf: string
  opening: { nobody: string; owner: string }
  calledIt: { nobody: string; owner: string }
  exact: string
}

const fill = (text: string, names: Record<string, string>) =>
  text.replace(/\{(\w{1,40})\}/g, (all, name: string) => names[name] ?? all)

const wordsOf = (texts: Texts): Words => ({
  ...texts,
  items: counter(texts.lang, texts.items),
  lockerOf: owner => fill(texts.lockerOf, { owner }),
  opening: (pack, owner) =>
    owner === null ? fill(texts.opening.nobody, { pack }) : fill(texts.opening.owner, { pack, owner }),
  calledIt: owner => (owner === null ? texts.calledIt.nobody : fill(texts.calledIt.owner, { owner })),
  exact: (home, away) => fill(texts.exact, { home, away }),
})

const en: Texts = {
  lang: 'en',
  dir: 'ltr',
  items: { one: '# item', other: '# items' },
  lockerOf: 'The locker of {owner}',
  opening: { nobody: '{pack}, opened', owner: '{owner} opened {pack}' },
  calledIt: { nobody: 'Called it, exactly', owner: '{owner} called it, exactly' },
  exact: 'An exact prediction: {home} against {away}',
  serial: serialNumber => `No. ${serialNumber}`,
  emptyLocker: 'Nothing is on the shelves yet.',
  emptyShelf: 'Empty',
  makeYours: { locker: 'Make yours', pack: 'Open yours', prediction: 'Predict yours' },
  report: 'Report illegal content',
  missing: {
    title: 'Nothing is shared here',
    text: 'The address may be wrong, or the fan does not show this to everyone.',
  },
}

const pt: Texts = {
  lang: 'pt',
  dir: 'ltr',
  items: { one: '# carta', other: '# cartas' },
  lockerOf: 'O cacifo de {owner}',
  opening: { nobody: '{pack}: saqueta aberta', owner: '{owner} abriu {pack}' },
  calledIt: { nobody: 'Acertou em cheio', owner: '{owner} acertou em cheio' },
  exact: 'Uma previsão exata: {home} contra {away}',
  serial: serialNumber => `N.º ${serialNumber}`,
  emptyLocker: 'Ainda não há nada nas prateleiras.',
  emptyShelf: 'Vazia',
  makeYours: { locker: 'Faz o teu', pack: 'Abre a tua', prediction: 'Faz a tua previsão' },
  report: 'Denunciar conteúdo ilegal',
  missing: {
    title: 'Não há nada partilhado aqui',
    text: 'O endereço pode estar errado, ou o adepto não mostra isto a toda a gente.',
  },
}

const ptBr: Texts = {
  ...pt,
  lang: 'pt-BR',
  items: { one: '# figurinha', other: '# figurinhas' },
  lockerOf: 'O armário de {owner}',
  opening: { nobody: '{pack}: pacote aberto', owner: '{owner} abriu {pack}' },
  calledIt: { nobody: 'Cravou o placar', owner: '{owner} cravou o placar' },
  exact: 'Palpite exato: {home} x {away}',
  serial: serialNumber => `Nº ${serialNumber}`,
  makeYours: { locker: 'Monte o seu', pack: 'Abra o seu', prediction: 'Dê o seu palpite' },
  missing: {
    title: 'Não há nada compartilhado aqui',
    text: 'O endereço pode estar errado, ou o torcedor não mostra isso para todo mundo.',
  },
}

const ar: Texts = {
  lang: 'ar',
  dir: 'rtl',
  items: {
    zero: 'لا بطاقات',
    one: 'بطاقة واحدة',
    two: 'بطاقتان',
    few: '# بطاقات',
    many: '# بطاقة',
    other: '# بطاقة',
  },
  lockerOf: 'خزانة {owner}',
  opening: { nobody: 'حزمة مفتوحة: {pack}', owner: 'فتح {owner} {pack}' },
  calledIt: { nobody: 'توقّع صحيح تمامًا', owner: 'توقّع {owner} النتيجة بالضبط' },
  exact: 'توقّع دقيق: {home} ضد {away}',
  serial: serialNumber => `رقم ${new Intl.NumberFormat('ar').format(serialNumber)}`,
  emptyLocker: 'لا شيء على الرفوف بعد.',
  emptyShelf: 'فارغ',
  makeYours: { locker: 'اصنع خزانتك', pack: 'افتح حزمتك', prediction: 'ضع توقعك' },
  report: 'الإبلاغ عن محتوى غير قانوني',
  missing: {
    title: 'لا شيء معروضًا هنا',
    text: 'قد يكون العنوان خاطئًا، أو أن المشجع لا يعرض هذا للجميع.',
  },
}

/** In the first of these languages that there is, otherwise in English. */
export const wordsFor = chooserOf(wordsOf(en), ...[pt, ptBr, ar].map(wordsOf))
