/** Parses JSON with the line number of each value. */
import { parse, type ValueNode } from '@humanwhocodes/momoa'
import { numberFault } from '../../core/exact-json.ts'

/** `pointer` is a JSON Pointer (RFC 6901) from the root of the document. */
export interface Fault {
  line: number
  pointer: string
  message: string
}

export interface LocatedJson {
  value: unknown
  /** The line of a value, or of its nearest ancestor. */
  lineOf(pointer: string): number
  /** Valid JSON that is rejected: duplicate members, text that the databases cannot store, and numbers that would be rounded. */
  faults: Fault[]
}

/** @param firstLine the line number of the start of the text. @throws JsonSyntaxError */
export function parseLocated(text: string, firstLine = 1): LocatedJson {
  const lines = new Map<string, number>()
  const faults: Fault[] = []

  function read(node: ValueNode, pointer: string): unknown {
    const line = node.loc.start.line + firstLine - 1
    lines.set(pointer, line)
    switch (node.type) {
      case 'Object':
        return readObject(node.members, pointer)
      case 'Array':
        return node.elements.map((element, index) => read(element.value, `${pointer}/${index}`))
      case 'String':
        if (/\0/.test(node.value) || !node.value.isWellFormed()) {
          faults.push({ line, pointer, message: 'must not contain NUL or a lone surrogate' })
        }
        return node.value
      case 'Number': {
        const message = numberFault(text.slice(node.loc.start.offset, node.loc.end.offset))
        if (message !== null) faults.push({ line, pointer, message })
        return node.value
      }
      case 'Boolean':
        return node.value
      default:
        return null
    }
  }

  function readObject(members: Extract<ValueNode, { type: 'Object' }>['members'], pointer: string) {
    const names = new Set<string>()
    return Object.fromEntries(
      members.map(({ name: node, value }) => {
        const name = node.type === 'String' ? node.value : node.name
        const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        const line = node.loc.start.line + firstLine - 1
        if (names.has(name)) faults.push({ line, pointer: inner, message: 'is duplicated' })
        names.add(name)
        return [name, read(value, inner)]
      }),
    )
  }

  const value = read(parseDocument(text, firstLine), '')
  return {
    value,
    faults,
    lineOf(pointer) {
      for (let parent = pointer; ; parent = parent.slice(0, parent.lastIndexOf('/'))) {
        const line = lines.get(parent)
        if (line !== undefined) return line
        if (parent === '') return firstLine
      }
    },
  }
}

/** The text is not JSON. */
export class JsonSyntaxError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message)
  }
}

function parseDocument(text: string, firstLine: number): ValueNode {
  try {
    return parse(text, { mode: 'json' }).body
  } catch (error) {
    // Guarantee of the cast: `parse` throws its own errors only.
    const { line = 1, column, message } = error as Error & { line?: number; column?: number }
    const fault = message.replace(` (${line}:${column})`, '')
    throw new JsonSyntaxError(line + firstLine - 1, `is not JSON: ${fault}`)
  }
}
