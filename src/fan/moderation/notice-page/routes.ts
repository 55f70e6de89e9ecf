/** `/notice`: notices of illegal content without an account. */
import { Elysia } from 'elysia'
import type { Database } from '../../../../db/index.ts'
import { errorsOf, isValid } from '../../../core/formats.ts'
import { Closed } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { form, formAssets, respondWithForm, respondWithRefusal } from '../../../platform/docs/form-page.ts'
import { pageDetail } from '../../../platform/http/contract/operation.ts'
import { preferredLanguages } from '../../../platform/http/edge/accept-language.ts'
import { toDomainError } from '../../../platform/http/edge/problem.ts'
import { failuresOf } from '../../../platform/http/edge/server-hooks.ts'
import { timeZoneOf } from '../../../platform/settings/settings.ts'
import { findNoticeErrors, NewNotice } from '../notice-schema.ts'
import { fileNotice } from '../notices.ts'
import { assetPath, formPage, noticeOf, PATH, receiptPage, type Typed } from './page.ts'
import { wordsFor } from './words.ts'

/** Longer than those of a notice, whose limits the form shows as faults of its fields. */
const Text = Type.Optional(Type.String({ maxLength: 20_000, description: 'What the person has typed.' }))
const NoticeForm = Closed({
  location: Text,
  category: Text,
  explanation: Text,
  name: Text,
  email: Text,
  goodFaith: Text,
  lang: Text,
})

/** Browsers send line breaks as two characters. */
const parseNotice = (sent: URLSearchParams) =>
  Object.fromEntries([...sent].map(([name, text]) => [name, text.replaceAll('\r\n', '\n')]))

const wordsOf = ({ headers }: Request, lang: string | null | undefined) =>
  wordsFor(preferredLanguages([lang], headers.get('accept-language')))

/** The fields of the form that are wrong. */
function findWrong(notice: unknown): Set<string> {
  const pointers = [
    ...[...errorsOf(NewNotice, notice)].map(({ path }) => path),
    ...findNoticeErrors({ body: notice }).map(error => ('pointer' in error ? error.pointer : '')),
  ]
  return new Set(pointers.map(pointer => pointer.slice(1)))
}

export const noticePages = ({ db }: { db: Database }) =>
  new Elysia({ name: 'matchday/notice-pages' })
    .derive(failuresOf)
    .get(
      PATH,
      ({ request }) => {
        const { searchParams } = new URL(request.url)
        const location = searchParams.get('location')?.slice(0, 2_000) ?? ''
        return respondWithForm(formPage(wordsOf(request, searchParams.get('lang')), { location }))
      },
      { detail: pageDetail({ id: 'openNotice' }) },
    )
    .post(
      PATH,
      async ({ body, failures, request }) => {
        const { lang, goodFaith, ...texts } = body
        const words = wordsOf(request, lang)
        const typed: Typed = { ...texts, ...(goodFaith === 'true' ? { goodFaith: true } : {}) }
        const notice = noticeOf(typed)
        const fields = findWrong(notice)
        if (fields.size > 0 || !isValid(NewNotice, notice))
          return respondWithForm(formPage(words, typed, { page: 'wrong', fields }), 422)
        try {
          failures.countNotice(request)
          const receipt = await fileNotice(db, notice, words.lang)
          return respondWithForm(receiptPage(words, receipt, await timeZoneOf(db.read)), 201)
        } catch (error) {
          const refusal = toDomainError(error, request)
          const { status } = refusal.type
          if (status !== 429 && status !== 503) throw error
          const page = status === 429 ? 'limited' : 'failed'
          return respondWithRefusal(formPage(words, typed, { page, fields }), refusal)
        }
      },
      form('sendNotice', NoticeForm, parseNotice),
    )
    .use(formAssets(assetPath))
