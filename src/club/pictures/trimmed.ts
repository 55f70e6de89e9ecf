/** What is left of a file that was cut to its picture. */
import type { Orientation } from './exif.ts'

export interface Trimmed {
  /** What a decoder needs for the pixels, and nothing else. */
  bytes: Buffer
  orientation: Orientation
}

/** Why a file has no still picture. */
export type Fault = 'animated' | 'damaged'

/** Files of cameras and programs have some hundreds. */
const MAX_PARTS = 10_000

/** Parts of a file. Those that touch are one: a file may consist of half a million tiny chunks. */
export class Parts {
  readonly #ranges: [start: number, end: number][]

  constructor(
    readonly bytes: Buffer,
    start: number,
    end: number,
  ) {
    this.#ranges = [[start, end]]
  }

  add(start: number, end: number): void {
    const last = this.#ranges.at(-1)
    if (last && last[1] === start) last[1] = end
    else this.#ranges.push([start, end])
  }

  get areTooMany(): boolean {
    return this.#ranges.length > MAX_PARTS
  }

  /** A copy. */
  join(): Buffer {
    return Buffer.concat(this.#ranges.map(([start, end]) => this.bytes.subarray(start, end)))
  }
}
