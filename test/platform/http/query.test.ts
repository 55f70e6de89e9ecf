/** Query strings: nothing is coerced, nothing is given twice, and a cursor opens only what it was sealed for. */
import { expect, test } from 'bun:test'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const PATH = '/api/user/points'

onEngine(sqliteEngine, 'query strings', world => {
  test('a limit of 1 to 100 is accepted', async () => {
    const fan = await world.fan()
    for (const limit of ['1', '50', '99', '100']) {
      expect((await fan.get(`${PATH}?limit=${limit}`)).status).toBe(200)
    }
  })

  test('any other form of a limit is 422 and names the parameter', async () => {
    const fan = await world.fan()
    for (const limit of [
      '"12"',
      '0x10',
      '0',
      '00',
      '01',
      '101',
      '-1',
      '+5',
      '1.0',
      '1e1',
      '%201',
      '1%20',
      '1_0',
      '',
      'null',
      'ten',
      '١',
      '9007199254740993',
      '[]',
    ]) {
      const { status, body } = await fan.get(`${PATH}?limit=${encodeURI(limit)}`)
      expect([limit, status, body.code]).toEqual([limit, 422, 'validation_failed'])
      expect(body.errors).toEqual([{ parameter: 'limit', message: 'must be a whole number of 1 to 100' }])
    }
  })

  test('unknown parameters are 422 by name, prototypes included, also where a route takes none', async () => {
    const fan = await world.fan()
    for (const name of ['offset', 'Limit', '__proto__', 'constructor', 'limit[]', 'a/b']) {
      for (const path of [PATH, '/api/rewards', '/api/teams']) {
        const { status, body } = await fan.get(`${path}?${encodeURIComponent(name)}=1`)
        expect([path, name, status]).toEqual([path, name, 422])
        expect(body.errors[0].parameter).toBe(name)
      }
    }
  })

  test('a parameter given twice is 422, however it is spelled', async () => {
    const fan = await world.fan()
    for (const query of [
      'limit=5&limit=5',
      'limit=5&limit=6',
      'limit=5&%6cimit=6',
      'limit&limit',
      'x=1&x=2',
    ]) {
      const { status, body } = await fan.get(`${PATH}?${query}`)
      expect([query, status]).toEqual([query, 422])
      expect(body.errors).toEqual([
        { parameter: query.startsWith('x') ? 'x' : 'limit', message: 'must not be repeated' },
      ])
    }
  })

  test('NUL is 422, and percent-encoding that is malformed or not UTF-8 is 400', async () => {
    const fan = await world.fan()
    for (const query of ['cursor=a%00b', '%00=1', 'li%00mit=5']) {
      const { status, body } = await fan.get(`${PATH}?${query}`)
      expect([query, status, body.code]).toEqual([query, 422, 'validation_failed'])
    }
    for (const query of [
      'cursor=%',
      'cursor=%zz',
      'cursor=%ff',
      'cursor=%ed%a0%80',
      '%c0%80=1',
      'cursor=%e2%82',
    ]) {
      for (const path of [PATH, '/api/teams']) {
        const { status, body } = await fan.get(`${path}?${query}`)
        expect([query, status, body.code]).toEqual([query, 400, 'malformed_request'])
      }
    }
  })

  test('all errors of a query are listed at once', async () => {
    const { status, body } = await (await world.fan()).get(
      `${PATH}?limit=0&limit=1&cursor=a%00b&since=lately&offset=1`,
    )
    expect(status).toBe(422)
    expect(body.errors.map(({ parameter }: { parameter: string }) => parameter)).toEqual([
      'limit',
      'cursor',
      'offset',
      'since',
    ])
  })

  test('the health routes accept any query string, which probes add to pass caches', async () => {
    for (const path of ['/healthz', '/readyz']) {
      for (const query of [
        't=1700000000',
        'a=1&a=2',
        '__proto__=1',
        '%ff',
        '%',
        'a=%00',
        '?',
        'a=/b/c',
        '&',
      ]) {
        const { status, headers } = await world.anonymous.get(`${path}?${query}`)
        expect([path, query, status, headers.get('cache-control')]).toEqual([path, query, 200, 'no-store'])
      }
    }
  })

  test('empty pairs mean nothing', async () => {
    const fan = await world.fan()
    for (const query of ['', '&', '&&limit=5&']) expect((await fan.get(`${PATH}?${query}`)).status).toBe(200)
  })

  test('cursors page through the whole list, each entry once', async () => {
    const fan = await world.fan()
    for (let n = 1; n <= 5; n++) await world.grant(fan, n)
    const seqs: number[] = []
    let next: string | null = ''
    for (let pages = 0; next !== null && pages < 5; pages++) {
      const { body } = await fan.get(`${PATH}?limit=2${next && `&cursor=${next}`}`)
      seqs.push(...body.entries.map(({ seq }: { seq: number }) => seq))
      next = body.nextCursor
    }
    expect(seqs).toEqual([5, 4, 3, 2, 1])
  })

  test('a cursor that was tampered with in any character is 400 invalid_cursor', async () => {
    const fan = await world.fan()
    for (let n = 1; n <= 3; n++) await world.grant(fan, n)
    const cursor: string = (await fan.get(`${PATH}?limit=1`)).body.nextCursor
    expect((await fan.get(`${PATH}?cursor=${cursor}`)).status).toBe(200)
    const changed = [...cursor].flatMap((character, at) =>
      ['A', 'B', '_']
        .filter(other => other !== character)
        .map(other => cursor.slice(0, at) + other + cursor.slice(at + 1)),
    )
    const broken = [cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ` ${cursor}`, 'x', '1', '%F0%9F%8F%9F']
    expect(changed.length).toBeGreaterThan(20)
    for (const wrong of [...changed, ...broken]) {
      const { status, body } = await fan.get(`${PATH}?cursor=${wrong}`)
      expect([wrong, status, body.code]).toEqual([wrong, 400, 'invalid_cursor'])
    }
  })

  test('a cursor of another fan, or of another list, is 400 invalid_cursor', async () => {
    const [one, other] = [await world.fan(), await world.fan()]
    for (const fan of [one, other]) for (let n = 1; n <= 3; n++) await world.grant(fan, n)
    const { nextCursor } = (await one.get(`${PATH}?limit=1`)).body
    for (const cursor of [nextCursor, world.deps.cursors.encode('some other list', 2)]) {
      const { status, body } = await other.get(`${PATH}?cursor=${cursor}`)
      expect([status, body.code]).toEqual([400, 'invalid_cursor'])
    }
  })

  test('an empty or overlong cursor is 422', async () => {
    const fan = await world.fan()
    for (const cursor of ['', 'A'.repeat(513)]) {
      const { status, body } = await fan.get(`${PATH}?cursor=${cursor}`)
      expect([status, body.errors[0].parameter]).toEqual([422, 'cursor'])
    }
  })

  test('more than 100 parameters are refused before they are parsed', async () => {
    const query = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=%ff`).join('&')
    const many = await world.anonymous.get(`/api/teams?${query(101)}`)
    expect([many.status, many.body.errors]).toEqual([
      422,
      [{ parameter: 'query', message: 'must have at most 100 parameters' }],
    ])
    expect((await world.anonymous.get(`/api/teams?${query(100)}`)).status).toBe(400)
  })
})
