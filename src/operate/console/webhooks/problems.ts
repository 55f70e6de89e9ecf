import { defineProblems } from '../../../core/problems.ts'

export const webhookProblems = defineProblems({
  webhook_endpoint_not_found: {
    status: 404,
    title: 'There is no such endpoint',
    description: 'The endpoint was removed, or its id is wrong.',
  },
  webhook_delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    description: 'Deliveries are deleted 30 days after their event, and with the data of a fan.',
  },
  webhook_secret_unreadable: {
    status: 409,
    title: 'The secret of the endpoint cannot be decrypted',
    description: 'It was encrypted with a key that the server no longer has. Rotate the secret.',
  },
})
