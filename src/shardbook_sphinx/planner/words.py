"""What the planner's script says; {…} is filled in by it, and what stands in backticks is code."""

from shardbook_sphinx.languages import mark

WORDS = {
    "fits": mark("Fits: {needed} of {usable} that a program may use on each of {devices} × {chip}."),
    "near": mark(
        "Fits by the formulas, but within their error: {needed} of {usable} that a program may use on each of "
        "{devices} × {chip}. Compile it first."
    ),
    "too_much": mark("Does not fit: {needed}, and a program may use {usable} on each of {devices} × {chip}."),
    "fraction": mark(
        "JAX takes three quarters of a GPU's {memory}; with `XLA_PYTHON_CLIENT_MEM_FRACTION=.9` in the environment it "
        "fits."
    ),
    "memory": mark("What each device holds"),
    "part": mark("for"),
    "bytes": mark("each device"),
    "share": mark("share"),
    "held_parameters": mark("parameters, float32"),
    "held_optimizer": mark("Adam's moments"),
    "held_batch": mark("the batch"),
    "held_rounded": mark("parameters again, bfloat16"),
    "held_gradients": mark("gradients"),
    "held_kept": mark("kept for the backward pass"),
    "held_working": mark("one layer at work, or the logits"),
    "sent": mark("What each device computes and receives in a step"),
    "what": mark("what"),
    "amount": mark("amount"),
    "time": mark("at best"),
    "operations": mark("{count} TFLOP"),
    "sent_products": mark("products"),
    "sent_gradients": mark("gradients, summed over copies"),
    "sent_fsdp": mark("fsdp: parameters gathered, gradients scattered"),
    "sent_sequence": mark("sequence: keys and values"),
    "sent_tensor": mark("tensor: the stream, summed"),
    "bound_products": mark("Products take {products}, links {links}: products bind, if links work beside them."),
    "bound_links": mark("Links take {links}, products {products}: links bind."),
    "others": mark("Also fits, with as many devices:"),
    "others_instead": mark("What fits, with as many devices:"),
    "others_more": mark("No other mesh of as many devices fits. With {devices} devices:"),
    "no_other": mark("Nothing else fits: a smaller batch or model, or a larger chip."),
    "other": mark("{needed} each, {time} at best"),
    "and_again": mark("computing layers again"),
    "copied": mark("Copied."),
    "not_copied": mark("This browser does not let the page copy: select the text and copy it."),
    "link_problem": mark("This link cannot be followed, so here is the first plan."),
    # Problems
    "problem_link": mark("A part of it is missing or has been changed: copy it again."),
    "problem_version": mark("It was made by another version of the planner."),
    "problem_chip": mark("It names a chip that the planner does not know."),
    "problem_number": mark("{field} must be a whole number from 1 to {most}."),
    "problem_devices": mark("{count} devices are too many: the planner computes up to {most}."),
    "problem_large": mark("No model or batch is that large: take a smaller width, vocabulary or batch."),
    "problem_divide": mark("{field} = {size} does not divide by {by} = {parts}: change one of them."),
    "problem_slice": mark("{count} devices are more than the {most} {chip} that links join: take fewer."),
    "field_L": mark("layers (L)"),
    "field_D": mark("width (D)"),
    "field_F": mark("hidden (F)"),
    "field_H": mark("heads (H)"),
    "field_K": mark("key heads (K)"),
    "field_k": mark("head (k)"),
    "field_V": mark("vocabulary (V)"),
    "field_B": mark("sequences (B)"),
    "field_S": mark("tokens in each (S)"),
}
