/** Fans for the palette. */
import { api } from './api.ts'
import type { Target } from './parts/palette.tsx'
import { addressOf } from './router.tsx'

const SHOWN_MAX = 8

export async function findFans(text: string, signal: AbortSignal): Promise<Target[]> {
  const { fans } = await api.searchFans({ text }, { signal })
  return fans.slice(0, SHOWN_MAX).map(({ id, displayName, name, handle }) => ({
    id,
    title: displayName ?? name ?? (handle === null ? 'No name' : `@${handle}`),
    ...(handle === null ? {} : { note: `@${handle}` }),
    icon: 'fans',
    to: addressOf('fans', id),
  }))
}
