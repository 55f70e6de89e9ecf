/** Which gateway takes money: its configuration, and what is left when there is none. */
import { describe, expect, test } from 'bun:test'
import { ConfigError, type Environment, parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import { createPayments } from '../../../src/play/purchases/gateways/create.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  buy,
  complete,
  EUROS,
  expectStatus,
  patientFan,
  purchaseRows,
  refusal,
  start,
} from './packs-world.ts'

const development = await makeDevelopmentSecrets()
/** Problems of production other than payments do not matter here. */
const production = { ...development, NODE_ENV: 'production' }
const stripe = {
  PAYMENT_GATEWAY: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_FakeKey',
  STRIPE_WEBHOOK_SECRET: 'whsec_fake',
}

const paymentsOf = (env: Environment) => parseConfig({ ...development, ...env }).payments

/** Configuration errors of payments in this environment. */
function faults(env: Environment): string[] {
  try {
    parseConfig({ ...development, ...env })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.filter(problem => /^(PAYMENT|STRIPE)_/.test(problem))
  }
}

describe('The configuration of payments', () => {
  test('is the sandbox in development, and none in production', async () => {
    expect(paymentsOf({})).toEqual({ gateway: 'sandbox' })
    expect(paymentsOf({ PAYMENT_GATEWAY: '' })).toEqual({ gateway: 'sandbox' })
    const decided = {
      NODE_ENV: 'production',
      PUSH_CREDENTIALS: '',
      DATABASE_URL: 'postgres://db.example/matchday',
      IDP_ISSUER: 'https://login.example.com',
      IDP_AUDIENCE: 'matchday',
      IDP_NAME: 'example',
      IDP_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      NATIVE_TOKEN_KEY: development.NATIVE_TOKEN_KEY.replace('"dev-', '"'),
    }
    expect(paymentsOf(decided)).toEqual({ gateway: 'off' })
    expect(paymentsOf({ ...decided, ...stripe })).toMatchObject({ gateway: 'stripe' })
    expect(await createPayments(parseConfig({ ...development, ...decided }), 'secret')).toEqual({})
  })

  test('refuses the sandbox in production', () => {
    expect(faults({ ...production, PAYMENT_GATEWAY: 'sandbox' })).toEqual([
      'PAYMENT_GATEWAY must not be sandbox in production: it takes no money',
    ])
  })

  test('refuses an unknown gateway by name', () => {
    expect(faults({ PAYMENT_GATEWAY: 'paypal' })).toEqual([
      'PAYMENT_GATEWAY must be one of sandbox, stripe, off',
    ])
  })

  test('reports all missing and invalid settings of Stripe at once', () => {
    const both = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']
    const named = (env: Environment) => faults({ ...stripe, ...env }).map(fault => fault.split(' ')[0])
    expect(named({ STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: ' ' })).toEqual(both)
    // The publishable key, and the webhook's id: the two that are easily taken for the secrets.
    expect(named({ STRIPE_SECRET_KEY: 'pk_test_FakeKey', STRIPE_WEBHOOK_SECRET: 'we_fake' })).toEqual(both)
    expect(faults({ ...stripe, STRIPE_SECRET_KEY: 'pk_test_FakeKey' }).join()).not.toContain('FakeKey')
    expect(faults(stripe)).toEqual([])
    expect(faults({ ...stripe, STRIPE_SECRET_KEY: 'rk_live_Restricted' })).toEqual([])
    // Without Stripe, none of its settings is needed.
    expect(faults({ PAYMENT_GATEWAY: 'off', STRIPE_SECRET_KEY: 'nonsense' })).toEqual([])
  })

  test('sends the key to another host in development only', () => {
    const STRIPE_API_BASE = 'http://localhost:12111'
    expect(paymentsOf({ ...stripe, STRIPE_API_BASE })).toMatchObject({ apiBase: STRIPE_API_BASE })
    expect(paymentsOf(stripe)).toMatchObject({ apiBase: null })
    expect(faults({ ...production, ...stripe, STRIPE_API_BASE })).toEqual([
      'STRIPE_API_BASE must not be set in production: the secret key would be sent to another host',
    ])
  })

  test('has the pages of a Checkout Session only if it is chosen, and checks them', () => {
    const pages = {
      STRIPE_CLIENT: 'checkout_sessions',
      STRIPE_SUCCESS_URL: 'https://club.example/paid?session={CHECKOUT_SESSION_ID}',
      STRIPE_CANCEL_URL: 'https://club.example/cart',
    }
    expect(paymentsOf({ ...stripe, ...pages, STRIPE_CLIENT: '' })).toMatchObject({ checkout: null })
    const checkout = { successUrl: pages.STRIPE_SUCCESS_URL, cancelUrl: pages.STRIPE_CANCEL_URL }
    expect(paymentsOf({ ...stripe, ...pages })).toMatchObject({ checkout })
    const without = { ...stripe, STRIPE_CLIENT: 'checkout_sessions' }
    expect(faults(without)).toEqual([
      'STRIPE_SUCCESS_URL must be an http or https URL without credentials',
      'STRIPE_CANCEL_URL must be an http or https URL without credentials',
    ])
    expect(faults({ ...stripe, STRIPE_CLIENT: 'sessions' })).toEqual([
      'STRIPE_CLIENT must be one of payment_intents, checkout_sessions',
    ])
    const insecure = { ...pages, STRIPE_CANCEL_URL: 'http://localhost:8080/cart' }
    expect(faults({ ...stripe, ...insecure })).toEqual([])
    expect(faults({ ...production, ...stripe, ...insecure })).toEqual([
      'STRIPE_CANCEL_URL must be an https URL without credentials',
    ])
  })

  test.each([
    'localhost:12111',
    'ftp://localhost',
    'http://localhost:12111/v1',
    'http://fan:secret@localhost',
    'http://',
    'somewhere',
  ])('refuses %s as a host for Stripe’s package', STRIPE_API_BASE => {
    expect(faults({ ...stripe, STRIPE_API_BASE })).toHaveLength(1)
  })

  test('cannot be changed once it is read', () => {
    expect(Object.isFrozen(paymentsOf(stripe))).toBe(true)
    expect(Object.isFrozen(paymentsOf({}))).toBe(true)
  })
})

onEngine(
  sqliteEngine,
  'Without a gateway',
  world => {
    test('a purchase that costs money can be started, but not prepared or completed', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world, { price: EUROS })
      const { id } = expectStatus(201, await start(fan, packId))
      const prepared = await fan.post('/api/packs/purchase/payment', { purchaseId: id })
      expect(refusal(prepared)).toEqual([402, 'payment_not_confirmed'])
      expect(prepared.body.detail).toBe('This server accepts no money: no payment gateway is configured.')
      for (const reference of [undefined, 'pi_3Fake000001', 'eyJ9.c2ln']) {
        expect(refusal(await complete(fan, id, reference))).toEqual([402, 'payment_not_confirmed'])
      }
      expect(await purchaseRows(world, packId)).toMatchObject([{ status: 'pending', paymentReference: null }])
    })

    test('a free pack priced in a currency needs no payment, and completes', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(
        201,
        await start(fan, await addPack(world, { price: { ...EUROS, amount: 0 } })),
      )
      const prepared = await fan.post('/api/packs/purchase/payment', { purchaseId: id })
      expect(refusal(prepared)).toEqual([409, 'no_payment_needed'])
      expect(expectStatus(200, await complete(fan, id))).toMatchObject({ status: 'completed' })
    })

    test('there are no routes for receipts and Stripe events', async () => {
      const fan = await patientFan(world)
      const body = { purchaseId: '01981e2c-7c1f-7000-8000-000000000003', kind: 'paid' }
      expect(refusal(await fan.post('/api/sandbox/receipts', body))).toEqual([404, 'not_found'])
      expect(refusal(await world.anonymous.post('/api/webhooks/stripe', { type: 'x' }))).toEqual([
        404,
        'not_found',
      ])
    })

    test('packs can be bought with points', async () => {
      const fan = await patientFan(world, 100)
      expect(await buy(fan, await addPack(world))).toMatchObject({ status: 'completed' })
      expect(await balanceOf(fan)).toMatchObject({ balance: 0 })
    })
  },
  { env: { PAYMENT_GATEWAY: 'off' } },
)
