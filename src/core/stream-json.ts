/** Serializes a value in pieces; an async iterable in it, at any depth, becomes an array that is never in memory as a whole. */
export async function* streamJson(value: unknown): AsyncGenerator<string> {
  if (isAsyncIterable(value)) {
    let separator = '['
    for await (const item of value) {
      yield separator
      yield* streamJson(item)
      separator = ','
    }
    yield separator === '[' ? '[]' : ']'
  } else if (Array.isArray(value)) {
    let separator = '['
    for (const item of value) {
      yield separator
      yield* streamJson(item)
      separator = ','
    }
    yield separator === '[' ? '[]' : ']'
  } else if (isPlainObject(value)) {
    let separator = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${separator}${JSON.stringify(name)}:`
      yield* streamJson(member)
      separator = ','
    }
    yield separator === '{' ? '{}' : '}'
  } else {
    yield JSON.stringify(value) ?? 'null'
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
