/** The sandbox gateway: what its receipts pay, and that nothing else passes for one. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DomainError } from '../../../src/core/problems.ts'
import {
  createSandbox,
  type ReceiptKind,
  receiptKinds,
} from '../../../src/play/purchases/gateways/sandbox.ts'

const sandbox = createSandbox('a secret of some entropy')
const charge = { purchaseId: 'purchase-1', amount: 499, currency: 'EUR' }
const receipt = sandbox.issueReceipt(charge, 'paid', 'receipt-1')

/** `paid`, or the code of the refusal; anything but a refusal is thrown on. */
async function verdict(reference: string, of = charge): Promise<string> {
  try {
    await sandbox.confirm(of, reference)
    return 'paid'
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}

describe('The sandbox', () => {
  const expected: Record<ReceiptKind, string> = {
    paid: 'paid',
    unpaid: 'payment_not_confirmed',
    partial: 'payment_not_confirmed',
    wrong_currency: 'payment_not_confirmed',
    foreign: 'payment_not_confirmed',
    forged: 'payment_not_confirmed',
  }
  test.each([...receiptKinds])('checks a receipt that is %s', async kind => {
    expect(await verdict(sandbox.issueReceipt(charge, kind, 'receipt-2'))).toBe(expected[kind])
  })

  test('refuses a payment in another currency, whichever it is', async () => {
    const odd = { ...charge, currency: 'XTS' }
    expect(await verdict(sandbox.issueReceipt(odd, 'paid', 'receipt-3'), odd)).toBe('paid')
    const wrong = sandbox.issueReceipt(odd, 'wrong_currency', 'receipt-3')
    expect(await verdict(wrong, odd)).toBe('payment_not_confirmed')
  })

  test('accepts a receipt for its own charge only', async () => {
    const others = [
      { ...charge, purchaseId: 'purchase-2' },
      { ...charge, amount: 500 },
      { ...charge, amount: 498 },
      { ...charge, currency: 'USD' },
    ]
    for (const other of others) expect(await verdict(receipt, other)).toBe('payment_not_confirmed')
  })

  test('signs different receipts of a charge differently, and the same receipt equally', () => {
    expect(sandbox.issueReceipt(charge, 'paid', 'receipt-1')).toBe(receipt)
    expect(sandbox.issueReceipt(charge, 'paid', 'receipt-2')).not.toBe(receipt)
  })

  test('accepts no receipt of an instance with another secret', async () => {
    expect(await verdict(createSandbox('another secret').issueReceipt(charge, 'paid', 'receipt-1'))).toBe(
      'payment_not_confirmed',
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
          verdict: 'payment_not_confirmed',
        })
      }
    }
  })

  test('accepts a receipt in one encoding only, so that it cannot be used twice', async () => {
    for (const other of [`${receipt}.`, `${receipt}.more`, `${receipt}=`, ` ${receipt}`]) {
      expect(await verdict(other)).toBe('payment_not_confirmed')
    }
  })

  test('always refuses a malformed reference', async () => {
    const [body = '', signature = ''] = receipt.split('.')
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.constantFrom(body, signature, '', '.'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 4 }), async parts => {
        fc.pre(parts.join('.') !== receipt)
        expect(await verdict(parts.join('.'))).toBe('payment_not_confirmed')
      }),
      { numRuns: 500 },
    )
  })

  test('has nothing to prepare, and gives back what it took but nothing of another gateway', async () => {
    expect(await sandbox.prepare(charge)).toEqual({
      gateway: 'sandbox',
      paymentReference: null,
      clientSecret: null,
    })
    expect(await sandbox.refund(charge, receipt)).toBeUndefined()
    await expect(sandbox.refund(charge, 'pi_3Fake000001')).rejects.toThrow('not_refundable')
  })
})
