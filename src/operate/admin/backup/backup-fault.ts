/** Why a backup cannot be made or used, in words for operators and staff. */
export class BackupFault extends Error {}
