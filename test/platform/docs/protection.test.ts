/** Every operation that the document marks as protected is protected. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import {
  isProtected,
  type Located,
  operationsOf,
  readDocument,
  readsToken,
  requiresServerKey,
} from './document.ts'

/** A public operation may have a 401 of its own, for what its body carries. */
const ABOUT_TOKENS = ['unauthenticated', 'invalid_token']

onEngine(sqliteEngine, 'documented protection', world => {
  let operations: Located[]
  beforeAll(async () => {
    // `test/access/server-keys.test.ts` checks operations for server keys.
    operations = operationsOf(await readDocument(world)).filter(located => !requiresServerKey(located))
  })

  /** The body and the query break every schema: who is asked comes before what is asked. */
  const call = ({ method, path }: Located, headers: Record<string, string> = {}) =>
    world.anonymous.send(`${path.replace(/\{[^}]+\}/g, 'some-id')}?no=parameter`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'GET' ? {} : { body: '{"no":"member"}' }),
    })

  describe('an anonymous caller', () => {
    test('gets a challenge without an error code from every protected operation', async () => {
      const locked = operations.filter(isProtected)
      expect(locked.length).toBeGreaterThan(5)
      for (const located of locked) {
        const { status, headers, body } = await call(located)
        expect([status, body?.code], located.name).toEqual([401, 'unauthenticated'])
        expect(headers.get('www-authenticate'), located.name).toBe('Bearer')
      }
    })

    test('is never asked to sign in by a public operation', async () => {
      for (const located of operations.filter(operation => !isProtected(operation)))
        expect(ABOUT_TOKENS, located.name).not.toContain((await call(located)).body?.code)
    })
  })

  test('a bad token is refused by every operation that reads one', async () => {
    for (const located of operations.filter(readsToken)) {
      const { status, headers, body } = await call(located, { authorization: 'Bearer not.a.token' })
      expect([status, body?.code], located.name).toEqual([401, 'invalid_token'])
      expect(headers.get('www-authenticate'), located.name).toStartWith('Bearer error="invalid_token"')
    }
  })

  test('a public operation reads no token, so an invalid one has no effect', async () => {
    for (const located of operations.filter(operation => !readsToken(operation))) {
      const { body } = await call(located, { authorization: 'Bearer not.a.token' })
      expect(ABOUT_TOKENS, located.name).not.toContain(body?.code)
    }
  })
})
