/** Spans of what the server does for a request. Outside of a request they would be traces of one step, so there are none. */
import { type Context, type Span, SpanKind } from '@opentelemetry/api'
import type { Database, Transaction } from '../../../db/index.ts'
import { endWith, isSampled, noteError, type Spans } from './spans.ts'

export function traceVerifier<T extends { verify(token: string): Promise<unknown> }>(
  spans: Spans,
  name: string,
  tokens: T,
): T {
  return {
    ...tokens,
    verify(token) {
      const parent = spans.current()
      if (!parent || !isSampled(parent)) return tokens.verify(token)
      const { span, context } = spans.start({ name, kind: SpanKind.INTERNAL }, parent)
      return endWith(span, () => spans.within(context, () => tokens.verify(token)))
    },
  }
}

/**
 * A unit of work has a span for its wait (in the queue, for a lock, for a connection), one for each attempt, and in that one
 * for the commit. The engine itself runs outside of any trace, since it works for many requests at once.
 */
export function traceDatabase(spans: Spans, db: Database): Database {
  const attributes = { 'db.system.name': db.engine === 'postgres' ? 'postgresql' : 'sqlite' }
  const step = (name: string, parent: Context) =>
    spans.start({ name, kind: SpanKind.INTERNAL, attributes }, parent)

  async function writeTraced<T>(work: (tx: Transaction) => Promise<T>, parent: Context): Promise<T> {
    const open: Span[] = [step('wait for unit of work', parent).span]
    const endOpen = () => {
      for (const span of open.splice(0).reverse()) span.end()
    }
    let attempts = 0
    async function attempt(tx: Transaction): Promise<T> {
      if (attempts++ > 0) for (const span of open) span.setAttribute('error.type', 'conflict')
      endOpen()
      const { span, context } = step('unit of work', parent)
      open.push(span)
      const value = await spans.within(context, () => work(tx))
      open.push(step('commit', context).span)
      return value
    }
    try {
      return await spans.within(undefined, () => db.write(attempt))
    } catch (error) {
      for (const span of open) noteError(span, error)
      throw error
    } finally {
      endOpen()
    }
  }

  return {
    ...db,
    write(work) {
      const parent = spans.current()
      if (parent && isSampled(parent)) return writeTraced(work, parent)
      return spans.within(undefined, () => db.write(tx => spans.within(parent, () => work(tx))))
    },
  }
}
