/** The operations as types: what a call takes and what it gives, from the OpenAPI document. */
import type { codes, components, messages, operations, requests } from './generated.ts'
import type { Failure } from './problems.ts'
import type { DataOf, InputOf } from './requests.ts'

/** The schemas of the OpenAPI document, such as `Schemas['Reward']`. */
export type Schemas = components['schemas']

/** The messages of webhooks by type, such as `Messages['reward.claimed']`. */
export type Messages = messages

/** The `operationId` of the OpenAPI document. */
export type OperationId = keyof codes

type Method<Id extends OperationId> = (typeof requests)[Id]['method']

/** The operations that change nothing. */
export type ReadId = { [Id in OperationId]: Method<Id> extends 'GET' ? Id : never }[OperationId]

/** The others. */
export type WriteId = Exclude<OperationId, ReadId>

/** The members of path, query and body of an operation in one object. */
export type Input<Id extends OperationId> = InputOf<operations[Id]>

/** The response of a success; undefined where the API responds with 204. */
export type Data<Id extends OperationId> = DataOf<operations[Id]>

/** Either `data` or `error`; the other is null. */
export type Result<Id extends OperationId> =
  | { data: Data<Id>; error: null; response: Response }
  | {
      data: null
      error: Failure<Id>
      /** Null if none came. */
      response: Response | null
    }

export interface CallOptions {
  /** In place of the session: a server key, or a token of the identity provider for `syncIdentity` and `deleteAccount`. */
  token?: string | undefined
  /** 1 to 255 printable ASCII characters. By default each call has a random one, which its retries repeat. */
  idempotencyKey?: string | undefined
  /** Ends the call with the code `aborted`. */
  signal?: AbortSignal | undefined
}

type Call<Id extends OperationId> =
  Record<never, never> extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Result<Id>>
    : (input: Input<Id>, options?: CallOptions) => Promise<Result<Id>>

/** A function for each operation. None rejects: what fails is `error`. */
export type Api = { readonly [Id in OperationId]: Call<Id> }
