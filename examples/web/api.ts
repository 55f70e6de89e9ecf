/** The typed client of the signed-in fan. */
import { createClient } from 'matchday/client'
import { freshToken } from './sign-in.ts'

export const { api } = createClient(location.origin, {
  onRequest: async () => {
    const token = await freshToken()
    return token ? { headers: { authorization: `Bearer ${token}` } } : {}
  },
})

/** The data of a call. @throws Error with the detail of the problem */
export async function need<T>(
  call: Promise<{ data: T; error: null } | { data: null; error: { value: { detail: string } } }>,
): Promise<T> {
  const { data, error } = await call
  if (error) throw new Error(error.value.detail)
  return data as T
}
