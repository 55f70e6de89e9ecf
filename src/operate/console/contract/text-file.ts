/**
 * Files of text that are read page by page while they are sent, so that none is ever all in memory. Refuse and record before:
 * once the first piece is sent, a fault can only break the connection off.
 */

interface TextFile {
  name: string
  /** With the character set. */
  type: string
}

/** Guarantee of the cast: a response is sent as it is; the schema of the operation describes the text of the file. */
export const textFile = ({ name, type }: TextFile, pieces: AsyncGenerator<string>) =>
  new Response(streamText(pieces), {
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    },
  }) as never

export const csvFile = (name: string, pieces: AsyncGenerator<string>) =>
  textFile({ name, type: 'text/csv; charset=utf-8' }, pieces)

/** Reads pieces as the client consumes them. */
function streamText(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      let piece = await pieces.next()
      // An empty chunk would end the response.
      while (piece.done !== true && piece.value === '') piece = await pieces.next()
      if (piece.done === true) controller.close()
      else controller.enqueue(encoder.encode(piece.value))
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
