import { defineProblems } from '../../core/problems.ts'

export const receiptProblems = defineProblems({
  receipt_not_found: {
    status: 404,
    title: 'There is no receipt',
    description:
      'The caller has no order and no purchase of a pack with this id, it is not paid, or it was paid before there were receipts. Packs for points have none. For staff: the order has no receipt and no credit note with this number.',
  },
})
