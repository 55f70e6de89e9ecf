/** Inserts a team by a unit of work: `commit-process.ts PATH ID`. */
import { openDatabase } from '../../db/index.ts'
import { createClock } from '../support/clock.ts'
import { insertTeam } from './probe.ts'

const [path = '', id = ''] = process.argv.slice(2)
const db = openDatabase(`sqlite:${path}`, createClock())
await db.write(tx => insertTeam(tx, id))
await db.close()
