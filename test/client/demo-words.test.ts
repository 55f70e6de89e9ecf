/** The example app has words for every reason that the API can state, in each of its languages. */
import { expect, test } from 'bun:test'
import { ar } from '../../examples/web/lang/ar.ts'
import { en } from '../../examples/web/lang/en.ts'
import { pt } from '../../examples/web/lang/pt.ts'
import { ptBr } from '../../examples/web/lang/pt-br.ts'
import { CASH_REASONS } from '../../src/economy/cash/reasons.ts'
import { POINTS_REASONS } from '../../src/economy/ledgers/reasons.ts'

test.each([
  ['English', en],
  ['Portuguese', pt],
  ['Brazilian Portuguese', ptBr],
  ['Arabic', ar],
])(
  '%s has words for the reasons of entries, and for a fan without the consent of a guardian',
  (_, language) => {
    const { points, wallet, problems } = language
    expect(problems.guardian_consent_required).toBeTruthy()
    expect(POINTS_REASONS.filter(reason => !points.reasons[reason])).toEqual([])
    expect(CASH_REASONS.filter(reason => !wallet.reasons[reason])).toEqual([])
  },
)
