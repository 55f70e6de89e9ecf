/** A write of the API that takes effect once, even if its button is pressed several times. */
import {
  createIdempotencyKey,
  type Data,
  type Failure,
  type Input,
  type ReadId,
  type Result,
  type WriteId,
} from '@matchday/client'
import { useRef, useState } from 'react'
import { textOf } from './cache.ts'
import { useClient } from './provider.ts'

export interface WriteOptions {
  /** What is read again when it has succeeded: by default all that is shown. */
  refreshes?: readonly ReadId[] | undefined
}

interface Attempt<Id extends WriteId> {
  data: Data<Id> | null
  error: Failure<Id> | null
  isBusy: boolean
}

type Arguments<Id extends WriteId> =
  Record<never, never> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>]

export interface WriteState<Id extends WriteId> extends Attempt<Id> {
  /**
   * Never rejects. While it is busy, another call gets the result of the first. A repeat after a failure, with the same input,
   * has the same `Idempotency-Key`.
   */
  write(...given: Arguments<Id>): Promise<Result<Id>>
  /** Forgets data and error. */
  reset(): void
}

/** An intended write: the same until it has succeeded or the input changes. */
interface Intent {
  input: string
  /** The file of an upload, whose bytes are not in JSON. */
  file: unknown
  idempotencyKey: string
}

const IDLE = { data: null, error: null, isBusy: false }

export function useWrite<Id extends WriteId>(id: Id, { refreshes }: WriteOptions = {}): WriteState<Id> {
  const { api, cache, sessionState } = useClient()
  const [attempt, setAttempt] = useState<Attempt<Id>>(IDLE)
  const running = useRef<Promise<Result<Id>> | null>(null)
  const intent = useRef<Intent | null>(null)

  async function send(input: object | undefined): Promise<Result<Id>> {
    setAttempt(({ data }) => ({ data, error: null, isBusy: true }))
    intent.current = intentOf(input, intent.current)
    const { idempotencyKey } = intent.current
    // Guarantee of the cast: `write` has the types of the operation.
    const call = api[id] as (input?: object, options?: { idempotencyKey: string }) => Promise<Result<Id>>
    const result = await call(input, { idempotencyKey })
    running.current = null
    const { data, error } = result
    if (error === null) {
      intent.current = null
      cache.refresh(refreshes)
    } else sessionState.onProblem(error)
    setAttempt({ data, error, isBusy: false })
    return result
  }

  return {
    ...attempt,
    write(...[input]) {
      // Guarantee of the cast: the input of an operation is an object, or undefined.
      running.current ??= send(input as object | undefined)
      return running.current
    },
    reset: () => setAttempt(({ isBusy }) => ({ ...IDLE, isBusy })),
  }
}

function intentOf(input: object | undefined, before: Intent | null): Intent {
  const file = input && 'file' in input ? input.file : undefined
  const text = textOf(input)
  if (before?.input === text && before.file === file) return before
  return { input: text, file, idempotencyKey: createIdempotencyKey() }
}
