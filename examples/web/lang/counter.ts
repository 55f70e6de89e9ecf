/** Counted nouns in the plural forms of a language, of which Arabic has six. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** `#` in a form is the number, in the digits of the language. */
export function createCounter(locale: string) {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (count: number, forms: Forms) =>
    (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count))
}
