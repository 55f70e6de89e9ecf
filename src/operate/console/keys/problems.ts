import { defineProblems } from '../../../core/problems.ts'

export const keyProblems = defineProblems({
  server_key_exists: {
    status: 409,
    title: 'The source already has a key',
    description: 'A source has only one current key. Rotate the key to replace it, or revoke it first.',
  },
  server_key_not_found: {
    status: 404,
    title: 'There is no such key',
    description: 'The source has no key that can be rotated or revoked.',
  },
})
