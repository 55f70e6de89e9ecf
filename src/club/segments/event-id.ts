/** The event of the last change of a row of `segment_members`. Ids of segments have no colon. */
export const segmentEventId = ({
  segmentId,
  userId,
  changes,
}: {
  segmentId: string
  userId: string
  changes: number
}) => `segment:${segmentId}:${userId}:${changes}`
