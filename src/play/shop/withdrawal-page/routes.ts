/** `/withdraw`: withdrawal without sign-in, in two steps. */
import { join } from 'node:path'
import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Database } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { Closed } from '../../../core/schemas.ts'
import { logSecurityEvent } from '../../../core/security-events.ts'
import { renderIn } from '../../../core/texts.ts'
import { type Static, Type } from '../../../core/typebox.ts'
import { normalizeEmail } from '../../../identity/users/emails.ts'
import { form, formAssets, respondWithForm, respondWithRefusal } from '../../../platform/docs/form-page.ts'
import { pageDetail } from '../../../platform/http/contract/operation.ts'
import { preferredLanguages } from '../../../platform/http/edge/accept-language.ts'
import { toDomainError } from '../../../platform/http/edge/problem.ts'
import { requestIdOf } from '../../../platform/http/edge/request-log.ts'
import { type Failures, failuresOf } from '../../../platform/http/edge/server-hooks.ts'
import { timeZoneOf } from '../../../platform/settings/settings.ts'
import { isStorePayment, type Payments } from '../../purchases/gateways/create.ts'
import { payOutLater } from '../pay-out.ts'
import { assetPath, CONFIRM, choicePage, type Fault, formPage, PATH, receiptPage } from './page.ts'
import { confirmWithdrawal, normalizeNumber, type Pair, previewWithdrawal } from './withdrawals.ts'
import { type Words, wordsFor } from './words.ts'

interface PageDeps {
  db: Database
  payments: Payments
  log: Logger
}

const ASSETS = {
  'withdraw.js': {
    type: 'text/javascript; charset=utf-8',
    file: join(import.meta.dir, 'assets', 'withdraw.js'),
  },
}

const Typed = (maxLength: number) => Type.String({ maxLength, description: 'What the person has typed.' })
const PairForm = {
  order: Typed(100),
  email: Typed(254),
  lang: Type.Optional(Typed(35)),
}
const FindForm = Closed(PairForm)
const ConfirmForm = Closed({
  ...PairForm,
  lines: Type.Array(
    Type.String({ pattern: '^[1-9][0-9]{0,3}$', description: 'A line.', errorNoun: 'the number of a line' }),
    { maxItems: 100, description: 'Those that are ticked.' },
  ),
})

/** The members that a form has once. */
const parseFind = (form: URLSearchParams) =>
  Object.fromEntries([...form].filter(([name]) => name !== 'lines'))
/** With `lines`, which it repeats. */
const parseConfirm = (form: URLSearchParams) => ({ ...parseFind(form), lines: form.getAll('lines') })

interface Context {
  request: Request
  set: Parameters<typeof requestIdOf>[0]
  failures: Failures
}

export function withdrawalPages({ db, payments, log }: PageDeps) {
  const options = {
    isStorePayment: (reference: string) => isStorePayment(payments, reference),
    payOut: payOutLater({ db, payments, log }),
  }

  /** Counts the attempt, and answers what it throws with the form. */
  async function answer(
    { request, set, failures }: Context,
    { order, email, lang }: Static<typeof FindForm>,
    work: (pair: Pair, shown: { words: Words; pair: Pair; timeZone: string }) => Promise<() => string>,
  ): Promise<Response> {
    const languages = languagesOf(request, lang)
    const words = wordsFor(languages)
    const pair = { order, email }
    try {
      failures.countWithdrawal(request, [`order ${normalizeNumber(order)}`, `email ${normalizeEmail(email)}`])
      const render = await work(pair, { words, pair, timeZone: await timeZoneOf(db.read) })
      return respondWithForm(renderIn(languages, render).value)
    } catch (error) {
      const refusal = toDomainError(error, request)
      const { status } = refusal.type
      const fault = FAULTS[refusal.code] ?? (status === 503 ? 'failed' : undefined)
      if (fault === undefined) throw error
      const { security } = refusal.explanation
      if (security) logSecurityEvent(log, security.event, { requestId: requestIdOf(set), path: PATH })
      return respondWithRefusal(formPage(words, pair, fault), refusal)
    }
  }

  const routes = new Elysia({ name: 'matchday/withdrawal-pages' })
    .derive(failuresOf)
    .get(
      PATH,
      ({ request }) => {
        const { searchParams } = new URL(request.url)
        const order = searchParams.get('order')?.slice(0, 100) ?? ''
        return respondWithForm(formPage(wordsFor(languagesOf(request, searchParams.get('lang'))), { order }))
      },
      { detail: pageDetail({ id: 'openWithdrawal' }) },
    )
    .post(
      PATH,
      context =>
        answer(context, context.body, async (pair, shown) => {
          const order = await previewWithdrawal(db, pair, options)
          return () => choicePage(order, shown)
        }),
      form('findWithdrawal', FindForm, parseFind),
    )
    .post(
      CONFIRM,
      context =>
        answer(context, context.body, async (pair, shown) => {
          const numbers = context.body.lines.map(Number)
          const again = async (fault: 'chooseOne' | 'changed') => {
            const order = await previewWithdrawal(db, pair, options)
            return () => choicePage(order, shown, fault)
          }
          if (numbers.length === 0) return again('chooseOne')
          try {
            const order = await confirmWithdrawal(db, pair, numbers, options)
            return () => receiptPage(order, shown)
          } catch (error) {
            if (error instanceof DomainError && CHANGED.has(error.code)) return again('changed')
            throw error
          }
        }),
      form('confirmWithdrawal', ConfirmForm, parseConfirm),
    )
  return routes.use(formAssets(assetPath, ASSETS))
}

/** What the form says instead of a problem document. */
const FAULTS: Partial<Record<string, Fault>> = {
  order_not_found: 'noMatch',
  not_refundable: 'notRefundable',
  rate_limited: 'limited',
}

/** Between the two steps. */
const CHANGED = new Set(['withdrawal_over', 'withdrawal_waived', 'already_used', 'validation_failed'])

const languagesOf = ({ headers }: Request, lang: string | null | undefined) =>
  preferredLanguages([lang], headers.get('accept-language'))
