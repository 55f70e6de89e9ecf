/** The `webhooks` of the OpenAPI document: a schema for each type of the application, true to what is sent. */
import { beforeAll, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { bodyOf } from '../../../src/economy/events/message.ts'
import { messageTypes } from '../../../src/economy/events/types.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { fetchDocument } from './document.ts'

interface Described {
  post: {
    operationId: string
    tags: string[]
    requestBody: { content: { 'application/json': { schema: { $ref: string }; example: { data: object } } } }
  }
}

onEngine(sqliteEngine, 'the webhooks of the OpenAPI document', world => {
  let webhooks: Record<string, Described>
  let isValid: (type: string, body: unknown) => unknown
  beforeAll(async () => {
    const document = (await fetchDocument(world)) as unknown as { webhooks: Record<string, Described> }
    webhooks = document.webhooks
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats(ajv)
    ajv.addSchema({ $id: 'http://localhost/openapi', ...document })
    isValid = (type, body) => {
      const { schema } = webhooks[type]?.post.requestBody.content['application/json'] ?? {
        schema: { $ref: '' },
      }
      const validate = ajv.compile({ $ref: `http://localhost/openapi${schema.$ref}` })
      return validate(body) || validate.errors
    }
  })

  test('have each type of the application, one for all others, and an example that holds', () => {
    expect(Object.keys(webhooks).toSorted()).toEqual([...messageTypes, 'other'].toSorted())
    for (const [type, { post }] of Object.entries(webhooks)) {
      const { example } = post.requestBody.content['application/json']
      expect([type, isValid(type, example)]).toEqual([type, true])
      expect(post.tags).toEqual(['Webhooks'])
    }
    const ids = Object.values(webhooks).map(({ post }) => post.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  const event = {
    eventId: '01981e2c-7c1f-7000-8000-000000000009',
    userId: '01981e2c-7c1f-7000-8000-000000000003',
    sequence: 7,
    occurredAt: new Date('2026-08-15T18:30:00.000Z'),
  }

  test.each([
    [
      'of the application',
      'reward.claimed',
      'reward.claimed',
      { source: 'matchday', data: { rewardId: 'scarf' } },
    ],
    [
      'of another system',
      'other',
      'shop.purchase',
      { source: 'shop', data: { amount: 1_250, sequence: 'theirs' } },
    ],
  ])('describe what is sent for an event %s', (_, described, type, content) => {
    expect(isValid(described, JSON.parse(bodyOf({ ...event, type, ...content })))).toBe(true)
  })

  test('refuse a body that lacks a member', () => {
    const body = JSON.parse(bodyOf({ ...event, type: 'reward.claimed', source: 'matchday', data: {} }))
    expect(isValid('reward.claimed', body)).toMatchObject([{ params: { missingProperty: 'rewardId' } }])
  })
})
