/** The sandbox gateway: what its receipts pay, and that nothing else passes for one. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  createSandbox,
  type ReceiptKind,
  receiptKinds,
} from '../../../src/play/purchases/gateways/sandbox.ts'
import { anyCharacter } from '../../support/any-character.ts'

const sandbox = createSandbox('a secret of some entropy')
const expiresAt = new Date('2026-08-01T12:15:00Z')
const charge = { purchaseId: 'purchase-1', amount: 499, currency: 'EUR', expiresAt }
const receipt = sandbox.issueReceipt(charge, 'paid', 'receipt-1')

async function verdict(reference: string, of = charge): Promise<string> {
  return (await sandbox.examine(of, reference)).state
}

describe('The sandbox', () => {
  const expected: Record<ReceiptKind, string> = {
    paid: 'paid',
    unpaid: 'unpaid',
    partial: 'mismatch',
    wrong_currency: 'mismatch',
    foreign: 'unpaid',
    forged: 'unpaid',
  }
  test.each([...receiptKinds])('checks a receipt that is %s', async kind => {
    expect(await verdict(sandbox.issueReceipt(charge, kind, 'receipt-2'))).toBe(expected[kind])
  })

  test('refuses a payment in another currency, whichever it is', async () => {
    const odd = { ...charge, currency: 'XTS' }
    expect(await verdict(sandbox.issueReceipt(odd, 'paid', 'receipt-3'), odd)).toBe('paid')
    const wrong = sandbox.issueReceipt(odd, 'wrong_currency', 'receipt-3')
    expect(await verdict(wrong, odd)).toBe('mismatch')
  })

  test('accepts a receipt only for its own charge', async () => {
    const others = [
      { ...charge, purchaseId: 'purchase-2' },
      { ...charge, amount: 500 },
      { ...charge, amount: 498 },
      { ...charge, currency: 'USD' },
    ]
    for (const other of others) expect(await verdict(receipt, other)).not.toBe('paid')
  })

  test('signs different receipts of a charge differently, and the same receipt equally', () => {
    expect(sandbox.issueReceipt(charge, 'paid', 'receipt-1')).toBe(receipt)
    expect(sandbox.issueReceipt(charge, 'paid', 'receipt-2')).not.toBe(receipt)
  })

  test('accepts no receipt of an instance with another secret', async () => {
    expect(await verdict(createSandbox('another secret').issueReceipt(charge, 'paid', 'receipt-1'))).toBe(
      'unpaid',
    )
  })

  test('refuses a receipt with any one character changed, left out or added', async () => {
    expect(await verdict(receipt)).toBe('paid')
    for (let at = 0; at <= receipt.length; at++) {
      const [before, after] = [receipt.slice(0, at), receipt.slice(at + 1)]
      const changed = ['A', 'B', '_', '.', '=', ' ', 'é']
        .filter(character => character !== receipt[at])
        .map(character => before + character + after)
      const added = ['A', '.', '=', '\n'].map(character => before + character + receipt.slice(at))
      const shorter = at < receipt.length ? [before + after] : []
      for (const forged of [...changed, ...added, ...shorter]) {
        expect({ forged, verdict: await verdict(forged) }).toEqual({
          forged,
          verdict: 'unpaid',
        })
      }
    }
  })

  test('accepts a receipt in one encoding only, so that it cannot be used twice', async () => {
    for (const other of [`${receipt}.`, `${receipt}.more`, `${receipt}=`, ` ${receipt}`]) {
      expect(await verdict(other)).toBe('unpaid')
    }
  })

  test('always refuses a malformed reference', async () => {
    const [body = '', signature = ''] = receipt.split('.')
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.base64String(),
      fc.constantFrom(body, signature, '', '.'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 4 }), async parts => {
        fc.pre(parts.join('.') !== receipt)
        expect(await verdict(parts.join('.'))).toBe('unpaid')
      }),
      { numRuns: 200 },
    )
  })

  test('prepares nothing, and refunds only its own payments', async () => {
    expect(await sandbox.prepare(charge)).toEqual({
      gateway: 'sandbox',
      paymentReference: null,
      clientSecret: null,
      checkoutUrl: null,
      store: null,
    })
    expect(await sandbox.refund(charge, receipt)).toBeUndefined()
    await expect(sandbox.refund(charge, 'pi_3Fake000001')).rejects.toThrow('not_refundable')
  })
})
