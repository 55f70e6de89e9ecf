/** The format of server-sent events, by https://html.spec.whatwg.org/multipage/server-sent-events.html. */

export interface Frame {
  type: string
  /** Empty if no event so far had one. */
  id: string
  data: string
}

/** Returns a function that takes the text of a stream in parts of any size. */
export function createFrameParser(onFrame: (frame: Frame) => void, onRetry: (ms: number) => void) {
  let rest = ''
  let type = ''
  let id = ''
  let data: string[] = []

  function take(line: string) {
    if (line === '') {
      if (data.length > 0) onFrame({ type: type || 'message', id, data: data.join('\n') })
      type = ''
      data = []
      return
    }
    const colon = line.includes(':') ? line.indexOf(':') : line.length
    const field = line.slice(0, colon)
    // One space after the colon is no part of the value.
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') type = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d+$/.test(value)) onRetry(Number(value))
  }

  return (text: string) => {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
}
