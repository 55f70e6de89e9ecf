/** The client of the Matchday API, without dependencies: for browsers, Node.js and React Native. */
export { type Client, type ClientOptions, createClient, createIdempotencyKey } from './client.ts'
export type { Devices, Inbox, Notifications, PushRegistration } from './messages.ts'
export type {
  Api,
  CallOptions,
  Data,
  Input,
  Messages,
  OperationId,
  ReadId,
  Result,
  Schemas,
  WriteId,
} from './operations.ts'
export { type Failure, type ProblemCode, ProblemError, type ProblemOf, unwrap } from './problems.ts'
export { type Commitment, type Proof, type Verdict, verifyDraw } from './proof.ts'
export { type Provenance, verifyProvenance } from './provenance.ts'
export { keepIn, type Session, type SessionStore, type Sessions } from './session.ts'
export type { Follow, FollowOptions, StreamEvent, Topic } from './stream.ts'
