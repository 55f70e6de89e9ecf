/** Why a backup is not made, or not used: written for operators and staff. */
export class BackupFault extends Error {}
