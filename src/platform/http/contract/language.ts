/**
 * The language of a response. An operation whose query has `LanguageQuery` responds in the language that `lang`, the profile's
 * locale and Accept-Language ask for, in this order.
 */
import { ElysiaCustomStatusResponse } from 'elysia'
import { attempt } from '../../../core/attempt.ts'
import type { AuthenticatedCaller } from '../../../core/caller.ts'
import { Formatted } from '../../../core/formats.ts'
import { renderIn } from '../../../core/texts.ts'
import { type TObject, Type } from '../../../core/typebox.ts'
import { preferredLanguages } from '../edge/accept-language.ts'
import { type Conditional, respondConditionally } from '../edge/conditional.ts'
import { stringify } from '../edge/ready-json.ts'
import { addVary } from '../edge/responses.ts'

const isTag = (value: string) => value.length <= 35 && Boolean(attempt(() => Intl.getCanonicalLocales(value)))

/** Members of the query of operations whose responses contain texts of the catalogue. */
export const LanguageQuery = {
  lang: Type.Optional(
    Formatted('language-tag', isTag, {
      description:
        'Language of texts (BCP 47). If a text lacks this language, it is returned in that of the profile’s `locale`, of `Accept-Language`, or the default of the text.',
      errorNoun: 'a language tag (BCP 47), such as pt-BR',
      documentedAs: { type: 'string', minLength: 2, maxLength: 35, examples: ['pt-BR'] },
    }),
  ),
}

/** Whether responses have a language. */
export const isLocalized = (query: TObject | undefined): boolean =>
  query?.properties.lang === LanguageQuery.lang

interface Context extends Conditional {
  caller?: Pick<AuthenticatedCaller, 'locale'> | null
  query: { lang?: string }
  /** The language of texts that are given in one language. */
  defaultLanguage?: string
}

/** Elysia's `afterHandle` of a localized operation. */
export function respondLocalized({ caller, defaultLanguage, query, request, response, set }: Context) {
  if (response instanceof Response) return undefined
  const isCustom = response instanceof ElysiaCustomStatusResponse
  if (isCustom) set.status = Number(response.code)
  return localize({ caller, defaultLanguage, query, request, set }, () =>
    stringify(isCustom ? response.response : response),
  )
}

/** The same of a conditional operation. */
export const respondLocalizedConditionally = ({
  caller,
  defaultLanguage,
  query,
  request,
  response,
  set,
  source,
}: Context) =>
  localize({ caller, defaultLanguage, query, request, set }, () =>
    respondConditionally({ caller, request, response, set, source }),
  )

function localize<T>(
  { caller, defaultLanguage = 'en', query, request, set }: Omit<Context, 'response'>,
  render: () => T,
): T {
  const asked = [query.lang, caller?.locale]
  const preferences = preferredLanguages(asked, request.headers.get('accept-language'))
  const { value, languages } = renderIn(preferences, render)
  set.headers['Content-Language'] = languages.length > 0 ? languages.join(', ') : defaultLanguage
  addVary(set.headers, 'Accept-Language')
  return value
}
