/** The globals of React Native that the types of the package name, as `react-native` declares them: no DOM. */

interface Blob {
  readonly size: number
  readonly type: string
  slice(start?: number, end?: number, contentType?: string): Blob
}
interface AbortSignal {
  readonly aborted: boolean
  onabort: ((event: unknown) => void) | null
}
interface Headers {
  append(name: string, value: string): void
  get(name: string): string | null
  has(name: string): boolean
}
interface RequestInit {
  body?: Blob | ArrayBuffer | string | undefined
  headers?: Headers | string[][] | { [name: string]: string } | undefined
  method?: string | undefined
  signal?: AbortSignal | undefined
}
/** Without `body`: React Native reads responses whole. */
interface Response {
  readonly headers: Headers
  readonly ok: boolean
  readonly status: number
  readonly url: string
  text(): Promise<string>
  json(): Promise<unknown>
}
declare function fetch(input: string, init?: RequestInit): Promise<Response>
