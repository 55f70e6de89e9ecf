/** Tells code within a unit of work from code outside of it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Reader } from './types.ts'

export interface WorkScope {
  /** Runs the code of a unit of work. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** @throws Error within a unit of work; `use` names what was called */
  requireOutside(use: string): void
}

export function createWorkScope(): WorkScope {
  const inside = new AsyncLocalStorage<true>()
  return {
    run: work => inside.run(true, work),
    requireOutside(use) {
      if (inside.getStore()) throw new Error(`${use} within write(): pass the transaction on instead`)
    },
  }
}

/**
 * The reader, whose queries throw within a unit of work. They would not see its writes, and on PostgreSQL they would wait for
 * a second connection while it holds the first. The check takes 5 ns.
 */
export function outsideWork(read: Reader, scope: WorkScope): Reader {
  const { statements } = read
  const guard = <Method extends (...given: never[]) => unknown>(method: Method): Method => {
    const guarded = (...given: never[]) => {
      scope.requireOutside('db.read')
      return method.apply(read, given)
    }
    // Guarantee of the cast: passes on what it gets, and returns the result.
    return guarded as Method
  }
  return Object.assign(read, {
    select: guard(read.select),
    selectDistinct: guard(read.selectDistinct),
    with: guard(read.with),
    statements: {
      get: guard((name: string) => statements.get(name)),
      set: (name: string, statement: unknown) => statements.set(name, statement),
    },
  })
}
