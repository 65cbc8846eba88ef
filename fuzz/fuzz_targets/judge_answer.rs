#![cfg_attr(fuzzing, no_main)]

probity_fuzz::program!("judge_answer");
