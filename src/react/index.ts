/** React over `@matchday/client`: reads with a cache, writes, the stream and the session. For React 18 and later. */
export { createMatchday, type Matchday, type MatchdayOptions } from './matchday.ts'
export { MatchdayProvider, useClient } from './provider.ts'
export { type ReadState, useRead } from './use-read.ts'
export { type SessionState, useSession } from './use-session.ts'
export { useStream } from './use-stream.ts'
export { useWrite, type WriteOptions, type WriteState } from './use-write.ts'
