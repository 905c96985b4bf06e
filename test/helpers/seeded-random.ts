export { seededRandom } from '../../bench/seeded-random.ts'
