import { findEngines } from "./find-engines";
import { smokeTest } from "./smoke";

const [firefox] = findEngines();
smokeTest(firefox);
