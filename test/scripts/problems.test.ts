/** `bun run problems` on a small tree of its own: what it finds in bodies, and what it reports of lists. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compareLists } from '../../scripts/problems/compare.ts'
import { type Lists, writeLists } from '../../scripts/problems/lists.ts'
import { readSources, type Sources } from '../../scripts/problems/sources.ts'

const IMPLIED = { always: ['invalid_token'], writing: ['overloaded'] }

const FRAMEWORK = {
  'tsconfig.json': `{
    "compilerOptions": { "strict": true, "noEmit": true, "module": "ESNext", "moduleResolution": "bundler",
      "target": "ESNext", "allowImportingTsExtensions": true, "types": [] },
    "include": ["src"]
  }`,
  'src/core.ts': `
    export interface ProblemType { code: string }
    export const defineProblems = <const T extends Record<string, object>>(types: T) =>
      types as unknown as { [Code in keyof T & string]: T[Code] & { code: Code } }
    export class DomainError<T extends ProblemType = ProblemType> extends Error {
      constructor(readonly type: T) { super(type.code) }
      get code(): string { return this.type.code }
    }
    export interface Transaction { find(id: string): Promise<{ owner: string } | undefined>; afterCommit(work: () => void): void }
    interface Handled { write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>; id: string }
    type Handler = (context: Handled) => unknown
    export interface Routes { post(path: string, handler: Handler, declaration: object): Routes }
    export declare const operation: (declaration: {
      id: string; data?: 'read' | 'write'; body?: object; problems?: readonly ProblemType[]
    }) => object
    export declare const routes: (...verify: ((text: string) => unknown)[]) => Routes`,
  'src/shop/problems.ts': `
    import { defineProblems } from '../core.ts'
    export const shopProblems = defineProblems({
      invalid_token: {}, overloaded: {}, not_found: {}, not_yours: {}, sold_out: {}, too_late: {}, not_signed: {},
      pack_not_found: {}, order_not_found: {}, closed: {},
    })`,
}

const SHOP = {
  'src/shop/verbs.ts': `
    import { DomainError, type ProblemType, type Transaction } from '../core.ts'
    import { shopProblems } from './problems.ts'

    const notFound = () => new DomainError(shopProblems.not_found)
    async function third(tx: Transaction, id: string) {
      const row = await tx.find(id)
      if (!row) throw notFound()
      return row
    }
    const second = (tx: Transaction, id: string) => third(tx, id)
    export const requireRow = async (tx: Transaction, id: string) => second(tx, id)

    export async function buy(tx: Transaction, id: string) {
      const row = await requireRow(tx, id)
      if (row.owner === '') throw new DomainError(shopProblems.sold_out)
      tx.afterCommit(() => { throw new DomainError(shopProblems.closed) })
      return row
    }

    const each = async (work: () => Promise<unknown>) => { await work() }
    export const buyInTurn = (tx: Transaction, id: string) => each(async () => buy(tx, id))

    export async function buyIfThere(tx: Transaction, id: string) {
      try {
        return await buy(tx, id)
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'not_found')) throw error
        return null
      }
    }

    export async function tryToBuy(tx: Transaction, id: string) {
      try {
        return await buy(tx, id)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        return null
      }
    }

    export async function buyOwn(tx: Transaction, id: string) {
      // never not_found: the caller has seen it.
      const row = await buy(tx, id)
      if (row.owner !== id) throw new DomainError(shopProblems.not_yours)
    }

    async function refuse(problem: ProblemType): Promise<never> {
      throw new DomainError(problem)
    }
    export const close = () => refuse(shopProblems.too_late)
    export const authenticate = (text: string) => {
      if (text === '') throw new DomainError(shopProblems.invalid_token)
      if (text === '!') throw new DomainError(shopProblems.overloaded)
    }
    export const verify = (text: string) => {
      if (text === '') throw new DomainError(shopProblems.not_signed)
    }`,
  'src/shop/kinds.ts': `
    import { DomainError, type ProblemType, type Transaction } from '../core.ts'
    import { shopProblems } from './problems.ts'

    interface Kind {
      problems: { notFound: ProblemType }
      deliver(tx: Transaction): Promise<void>
      close(): void
    }
    export const packKind: Kind = {
      problems: { notFound: shopProblems.pack_not_found },
      async deliver() { throw new DomainError(shopProblems.sold_out) },
      close() { throw new DomainError(shopProblems.closed) },
    }
    export const orderKind: Kind = {
      problems: { notFound: shopProblems.order_not_found },
      async deliver() {},
      close() {},
    }
    export async function complete(tx: Transaction, kind: Kind, id: string) {
      if (!(await tx.find(id))) throw new DomainError(kind.problems.notFound)
      await kind.deliver(tx)
    }
    export const closeKind = (kind: Kind) => kind.close()`,
  'src/shop/routes.ts': `
    import { operation, routes } from '../core.ts'
    import { complete, orderKind, packKind } from './kinds.ts'
    import { thrownBy } from './problems.generated.ts'
    import * as verbs from './verbs.ts'
    import { buy, verify } from './verbs.ts'

    export const shop = () =>
      routes()
        .post('/buy', ({ write, id }) => write(tx => buy(tx, id)), operation({ id: 'buy', problems: thrownBy.buy }))
        .post('/turn', ({ write, id }) => write(tx => verbs.buyInTurn(tx, id)), operation({ id: 'turn', problems: thrownBy.turn }))
        .post('/there', ({ write, id }) => write(tx => verbs.buyIfThere(tx, id)), operation({ id: 'there', problems: thrownBy.there }))
        .post('/try', ({ write, id }) => write(tx => verbs.tryToBuy(tx, id)), operation({ id: 'tryIt' }))
        .post('/own', ({ write, id }) => write(tx => verbs.buyOwn(tx, id)), operation({ id: 'own', problems: thrownBy.own }))
        .post('/close', () => verbs.close(), operation({ id: 'close', problems: thrownBy.close }))
        .post('/pack', ({ write, id }) => write(tx => complete(tx, packKind, id)), operation({ id: 'pack', problems: thrownBy.pack }))
        .post('/order', ({ write, id }) => write(tx => complete(tx, orderKind, id)), operation({ id: 'order', problems: thrownBy.order }))
        .post('/written', ({ id }) => verbs.authenticate(id), operation({ id: 'written', body: {} }))
        .post('/read', ({ id }) => verbs.authenticate(id), operation({ id: 'readIt', body: {}, data: 'read', problems: thrownBy.readIt }))
    export const signed = () =>
      routes(text => verify(text)).post('/signed', () => null, operation({ id: 'signed', problems: thrownBy.signed }))`,
}

interface Tree {
  sources: Sources
  root: string
}

const trees: string[] = []
afterAll(() => {
  for (const root of trees) rmSync(root, { recursive: true })
})

async function readTree(files: Record<string, string>): Promise<Tree> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'matchday-problems-')))
  trees.push(root)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return {
    root,
    sources: await readSources(root, join(root, 'tsconfig.json'), file => file.startsWith('src/')),
  }
}

const LISTED = 'src/shop/problems.generated.ts'
const linesOf = (text: string, line: string) => text.split('\n').filter(other => other.includes(line))

describe('bodies and lists that agree', () => {
  let tree: Tree
  let lists: Lists
  beforeAll(async () => {
    tree = await readTree({ ...FRAMEWORK, ...SHOP })
    lists = writeLists(tree.sources, tree.root, IMPLIED, new Map())
  })

  test.each([
    [
      'a throw three calls below, and one after it, but none after the commit',
      'buy',
      ['not_found', 'sold_out'],
    ],
    ['a callback', 'turn', ['not_found', 'sold_out']],
    ['a problem that is caught by its code', 'there', ['sold_out']],
    ['a note that a problem cannot occur', 'own', ['sold_out', 'not_yours']],
    ['a problem that is passed as an argument', 'close', ['too_late']],
    ['the members of the kind that is passed', 'pack', ['pack_not_found', 'sold_out']],
    ['the members of another kind', 'order', ['order_not_found']],
    ['what a group gets to call', 'signed', ['not_signed']],
    ['what only writing implies', 'readIt', ['overloaded']],
  ])('%s', (_, key, codes) => {
    expect(lists.thrown.find(list => list.key === key)?.codes).toEqual(codes)
  })

  test.each([
    ['all problems are caught', 'tryIt'],
    ['the operation implies all problems', 'written'],
  ])('there is no list if %s', (_, key) => expect(lists.thrown.map(list => list.key)).not.toContain(key))

  test('the generated file is complete, and nothing is reported about it', () => {
    const text = lists.files.get(LISTED) ?? ''
    expect(text).toContain("import { shopProblems } from './problems.ts'")
    expect(linesOf(text, '  buy:')).toEqual(['  buy: [shopProblems.not_found, shopProblems.sold_out],'])
    expect(lists.errors).toEqual([])
    expect(compareLists(tree.sources, lists, lists.files)).toEqual([])
  })

  test('listed codes keep their order, and a new code follows the one that is thrown before it', () => {
    const stored = new Map([
      [LISTED, '  own: [shopProblems.not_yours],\n  buy: [shopProblems.sold_out, shopProblems.not_found],\n'],
    ])
    const ordered = writeLists(tree.sources, tree.root, IMPLIED, stored).thrown
    expect(ordered.find(list => list.key === 'buy')?.codes).toEqual(['sold_out', 'not_found'])
    expect(ordered.find(list => list.key === 'own')?.codes).toEqual(['sold_out', 'not_yours'])
  })

  test.each([
    [
      'thrown and not listed',
      '[shopProblems.too_late]',
      '[]',
      'close throws too_late, which src/shop/problems.generated.ts does not list.',
      /^src\/shop\/verbs\.ts\(\d+,\d+\): error: /,
    ],
    [
      'thrown by a composed verb and not listed',
      'turn: [shopProblems.not_found, ',
      'turn: [',
      'turn throws not_found, which',
      /^src\/shop\/verbs\.ts\(\d+,\d+\): error: /,
    ],
    [
      'listed and not thrown',
      '[shopProblems.too_late]',
      '[shopProblems.too_late, shopProblems.closed]',
      'close does not throw closed.',
      /^src\/shop\/problems\.generated\.ts\(\d+,1\): error: /,
    ],
    [
      'listed and caught from a composed verb',
      'there: [',
      'there: [shopProblems.not_found, ',
      'there does not throw not_found.',
      /^src\/shop\/problems\.generated\.ts\(\d+,1\): error: /,
    ],
  ])('reports a code that is %s', (_, right, wrong, message, place) => {
    const text = lists.files.get(LISTED) ?? ''
    expect(text).toContain(right)
    const stored = new Map([[LISTED, text.replace(right, wrong)]])
    const errors = compareLists(tree.sources, writeLists(tree.sources, tree.root, IMPLIED, stored), stored)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(message)
    expect(errors[0]).toMatch(place)
  })
})

test('reports routes without their list, notes that keep nothing, and throws that are not clear', async () => {
  const { sources, root } = await readTree({
    ...FRAMEWORK,
    'src/shop/routes.ts': `
      import { DomainError, operation, type ProblemType, routes } from '../core.ts'
      import { shopProblems } from './problems.ts'
      const problems: ProblemType[] = [shopProblems.closed]
      // never sold_out: nothing is sold.
      const sell = () => { throw new DomainError(shopProblems.not_found) }
      export const shop = () =>
        routes()
          .post('/sell', () => sell(), operation({ id: 'sell' }))
          .post('/none', () => null, operation({ id: 'none', problems: [shopProblems.closed] }))
          .post('/any', () => { throw new DomainError(problems[0] ?? shopProblems.closed) }, operation({ id: 'any' }))`,
  })
  const { errors } = writeLists(sources, root, IMPLIED, new Map())
  const messages = errors.map(error => error.replace(/^.*?: error: /, ''))
  expect(messages.toSorted()).toEqual([
    'Nothing here throws sold_out: remove the note.',
    'State `problems: thrownBy.sell`.',
    'The type does not tell which problem this throws.',
    'none throws no problem of its own: remove `problems`.',
  ])
})
