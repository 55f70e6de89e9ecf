/** Fans for the palette. */
import { read } from './api.ts'
import type { Target } from './parts/palette.tsx'
import { addressOf } from './router.tsx'

/** Members of the response that are shown. */
interface Found {
  fans: { id: string; displayName: string | null; name: string | null; handle: string | null }[]
}

const SHOWN_MAX = 8

export async function findFans(text: string, signal: AbortSignal): Promise<Target[]> {
  const { fans } = await read<Found>('/api/fans', { query: { text }, signal })
  return fans.slice(0, SHOWN_MAX).map(({ id, displayName, name, handle }) => ({
    id,
    title: displayName ?? name ?? (handle === null ? 'No name' : `@${handle}`),
    ...(handle === null ? {} : { note: `@${handle}` }),
    icon: 'fans',
    to: addressOf('fans', id),
  }))
}
